//! Where the library is looked for, and what is said of one that cannot be used. `tests/suite/hardware_counters/` has libraries that
//! can be opened.

use std::fs;

use tempfile::TempDir;

use super::*;

fn refused(named: Option<&Path>, places: &[PathBuf]) -> String {
    Cupti::find(named.map(Path::as_os_str), places).err().expect("it cannot be opened")
}

#[test]
fn without_a_library_it_is_said_where_there_is_one() {
    let folder = TempDir::new().unwrap();
    let told = refused(None, &[PathBuf::from("libcupti-of-nobody.so"), folder.path().join("libcupti.so.13")]);
    assert_eq!(
        told,
        "no library libcupti: it comes with the CUDA toolkit, and with `pip install nvidia-cuda-cupti`; APBENCH_CUPTI may name its file"
    );
}

#[test]
fn a_library_that_is_named_and_cannot_be_opened_is_told() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("libcupti.so");
    let absent = refused(Some(&path), &[]);
    let named = format!("APBENCH_CUPTI names {}: ", path.display());
    assert_eq!(absent, format!("{named}cannot open shared object file: No such file or directory"));
    for (content, words) in [("", "file too short"), (&*"no library at all. ".repeat(100), "invalid ELF header")] {
        fs::write(&path, content).unwrap();
        assert_eq!(refused(Some(&path), &[]), format!("{named}{words}"));
        let found = refused(None, &[PathBuf::from("libcupti-of-nobody.so"), path.clone()]);
        assert_eq!(found, format!("CUPTI is there, but it cannot be opened: {}: {words}", path.display()));
    }
    let is_folder = refused(Some(folder.path()), &[]);
    assert!(is_folder.starts_with("APBENCH_CUPTI names ") && is_folder.ends_with("directory"), "{is_folder}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_library_without_the_functions_is_no_cupti_or_too_old() {
    let other = Path::new("libc.so.6");
    for told in [refused(Some(other), &[]), refused(None, &[PathBuf::from("libcupti-of-nobody.so"), other.to_owned()])]
    {
        let expected = "libc.so.6 is no CUPTI, or too old a one: counting needs that of CUDA 12.6 Update 2 or newer (";
        assert!(told.starts_with(expected) && told.ends_with("undefined symbol: cuptiGetVersion)"), "{told}");
    }
}

#[test]
fn wheels_and_toolkits_are_looked_into() {
    let environment = TempDir::new().unwrap();
    let packages = environment.path().join("lib/python3.12/site-packages/nvidia");
    let of_13 = packages.join("cu13/lib/libcupti.so.13");
    let of_12 = packages.join("cuda_cupti/lib/libcupti.so.12");
    let toolkit = environment.path().join("cuda");
    let of_toolkit = toolkit.join("extras/CUPTI/lib64/libcupti.so.13");
    for file in [&of_13, &of_12, &of_toolkit] {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
    }
    fs::write(packages.join("__init__.py"), "").unwrap();
    let places = places(&[toolkit], &toolkit::wheels_in(environment.path()));
    assert_eq!(places[..3], NAMES.map(PathBuf::from));
    let there: Vec<&PathBuf> = places.iter().filter(|place| place.is_file()).collect();
    assert_eq!(there, [&of_toolkit, &of_13, &of_12]);
    assert!(places.iter().all(|place| !place.to_string_lossy().contains("__init__")), "{places:?}");
}
