use super::*;
use crate::model::fixtures::FAMILY;

#[test]
fn base_64_is_that_of_the_standard() {
    // RFC 4648, section 10.
    for (bytes, text) in [
        ("", ""),
        ("f", "Zg=="),
        ("fo", "Zm8="),
        ("foo", "Zm9v"),
        ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ] {
        assert_eq!(base64(bytes.as_bytes()), text);
    }
}

#[test]
fn points_that_are_the_same_everywhere_have_one_text() {
    let text = "point,variant,status,reason\n0,divergent,ok,\n1,divergent,wrong,\"a, \"\"b\"\"\"\n2,diverg";
    let points = Points::read(text, 2, &FAMILY).unwrap();
    let json = serde_json::to_value(&points).unwrap();
    assert_eq!((json["total"].as_u64(), json["shown"].as_u64()), (Some(2), Some(2)));
    let cells: Vec<&serde_json::Value> = json["columns"].as_array().unwrap().iter().map(|own| &own["cells"]).collect();
    let expected = [
        serde_json::json!(["0", "1"]),
        serde_json::json!("divergent"),
        serde_json::json!(["ok", "wrong"]),
        serde_json::json!(["", "a, \"b\""]),
    ];
    assert_eq!(cells, expected.iter().collect::<Vec<_>>());
}

#[test]
fn points_and_verdicts_of_laws_stand_before_what_is_seldom_asked_for() {
    let row = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
    let header = "fit,model,variant,parameter,estimate,low,high,unit,r2,error_pct,n,verdict,predictor,interval_method,runners_up";
    let law =
        "branches,branches,divergent,t_branch,262.7,262.6,262.8,us,0.99,0.08,32,holds to within 0.18 %,n,student,";
    let table = table::of_fits(&[row(header), row(law)]).remove(0).into_string();
    let places = ["262.7 µs", ">32<", "holds to within", "0.08", "student"].map(|words| table.find(words).unwrap());
    assert!(places.is_sorted(), "{table}");
    assert_eq!(table.matches(">branches<").count(), 1, "the law's name where it is that of the fit: {table}");
}

#[test]
fn a_file_without_points_is_a_table_without_rows() {
    let points = Points::read("point,variant,status\n", 0, &FAMILY).unwrap();
    assert!(points.is_whole());
    assert!(points.table().into_string().contains("<tbody></tbody>"));
}

#[test]
fn only_this_script_may_run_and_nothing_be_loaded() {
    // printf 'alert(1)' | openssl dgst -sha256 -binary | base64
    let policy = policy("alert(1)");
    assert!(policy.contains("script-src 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"), "{policy}");
    assert!(policy.starts_with("default-src 'none';"));
}

#[test]
fn counters_of_patterns_are_counted_and_fonts_are_whole_pixels() {
    let counted: Vec<&str> = gpu_simulator::COUNTERS.iter().map(|counter| counter.name).collect();
    for name in points::PATTERN_COUNTERS {
        assert!(counted.contains(&name) || ["bound", "waves_per_sm"].contains(&name), "{name}");
    }
    // uPlot scales only the digits before "px" to the screen: half a pixel makes tick labels tiny where it has two pixels a point.
    for font in SCRIPTS.concat().split("font: \"").skip(1) {
        let size = font.split("px").next().unwrap();
        assert!(size.parse::<u32>().is_ok(), "{size}px");
    }
}
