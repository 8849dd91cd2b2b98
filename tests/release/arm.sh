#!/usr/bin/env bash
# Runs the main job with the program for 64-bit Arm on this machine, under QEMU: that of an archive.
#
#     tests/release/arm.sh target/handed-out/apbench-*-aarch64-unknown-linux-gnu.tar.gz
#
# The program stands in a root of its own with Arm's glibc and nothing else. QEMU and glibc are Debian's packages; they are
# unpacked, not installed. Needs Linux 6.7 or newer, where a user namespace may say by itself what starts foreign programs.
set -euo pipefail
(($# == 1)) || { echo "usage: tests/release/arm.sh ARCHIVE.tar.gz" >&2; exit 2; }
archive=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir "$folder/packages" "$folder/unpacked" "$folder/root"
cd "$folder/packages"
chmod 755 "$folder" "$folder/packages"
apt-get download --quiet=2 --option APT::Sandbox::User=root qemu-user-static libc6-arm64-cross ||
    { apt-get update --quiet=2 && apt-get download --quiet=2 --option APT::Sandbox::User=root qemu-user-static libc6-arm64-cross; }
for package in *.deb; do dpkg-deb --extract "$package" "$folder/unpacked"; done

cd "$folder"
mkdir root/lib root/tmp root/empty
cp unpacked/usr/aarch64-linux-gnu/lib/*.so.* root/lib/
tar --extract --file "$archive" --directory root --strip-components 1
machine=$(od --address-radix n --format x1 --skip-bytes 18 --read-bytes 2 root/apbench | tr -d ' ')
[[ $machine == b700 ]] || { echo "$archive: its program is not for 64-bit Arm" >&2; exit 1; }

# A sweep starts the program again, as its worker, so the kernel has to know what starts it. The flag F opens QEMU now, outside of the
# root. There is no /proc in the root: QEMU tells the program its path, where Linux would tell that of QEMU.
cat >inside.sh <<'INSIDE'
set -eu
folder=$1
mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
echo ":apbench-arm:M::$magic:$mask:$folder/unpacked/usr/bin/qemu-aarch64-static:F" >/proc/sys/fs/binfmt_misc/register
apbench() { env --ignore-environment HOME=/tmp "$(command -v chroot)" "$folder/root" /apbench "$@"; }
apbench --version
time apbench sweep branching --device sim:h200 --set branches=1,2,4,8 --set width=64 --out /empty/run
apbench fit /empty/run --verbose | tail -n 8
INSIDE
unshare --user --map-root-user --mount bash inside.sh "$folder"
