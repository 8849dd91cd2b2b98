//! `apbench report`: what is in the page, and what it does in a browser.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::common::{SCENARIO, Workspace, column, stdout};

mod in_browser;

fn results(run: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("results").join(run)
}

/// The page of a reference run, and where it is.
fn page_of(workspace: &Workspace, run: &Path, more: &[&str]) -> (PathBuf, String) {
    let mut arguments = vec!["report", run.to_str().unwrap(), "--out", "page.html"];
    arguments.extend(more);
    workspace.apbench(&arguments).assert().success();
    (workspace.path("page.html"), workspace.read("page.html"))
}

/// The data inside a page.
fn data_of(page: &str) -> Value {
    let start = page.find("id=\"run-data\">").unwrap() + "id=\"run-data\">".len();
    let end = start + page[start..].find("</script>").unwrap();
    serde_json::from_str(&page[start..end]).unwrap()
}

/// The element names of a page, each closed by its own end; scripts and styles are texts.
fn elements(page: &str) -> Vec<String> {
    const EMPTY: [&str; 6] = ["meta", "link", "br", "input", "img", "hr"];
    let (mut open, mut all, mut rest) = (Vec::new(), Vec::new(), page);
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("a tag without its end");
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        if tag.starts_with('!') {
        } else if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "closed in another order than opened");
        } else {
            if name == "script" || name == "style" {
                rest = &rest[rest.find(&format!("</{name}>")).unwrap()..];
            }
            all.push(name.clone());
            if !EMPTY.contains(&name.as_str()) && !tag.ends_with('/') {
                open.push(name);
            }
        }
    }
    assert_eq!(open, Vec::<String>::new());
    all
}

#[test]
fn a_page_is_whole_and_holds_the_figures_of_its_run() {
    let workspace = Workspace::new();
    let run = results("nvidia-h200/branching");
    let (_, page) = page_of(&workspace, &run, &[]);
    let elements = elements(&page);
    assert_eq!(elements.iter().filter(|name| *name == "h1").count(), 1);
    let address = ["http://", "https://", "src=", "@import", "url("];
    let html = page.replace("http://www.w3.org/2000/svg", "");
    let outside_script = &html[..html.rfind("<script>").unwrap()];
    for word in address {
        assert!(!outside_script.contains(word), "{word}");
    }
    let points = fs::read_to_string(run.join("points.csv")).unwrap();
    let data = data_of(&page);
    for own in data["points"]["columns"].as_array().unwrap() {
        let cells = column(&points, own["name"].as_str().unwrap());
        match &own["cells"] {
            Value::String(same) => assert!(cells.iter().all(|cell| cell == same)),
            each => assert_eq!(*each, serde_json::json!(cells), "{}", own["name"]),
        }
    }
    let fits = fs::read_to_string(run.join("fits.csv")).unwrap();
    assert_eq!(data["fits"], Value::String(fits));
    let first = &data["charts"][0]["series"][0];
    assert_eq!((first["value"][0].as_f64(), first["point"][0].as_u64()), (Some(279.264), Some(0)));
}

#[test]
fn headings_of_a_page_are_in_order() {
    let workspace = Workspace::new();
    let (_, page) = page_of(&workspace, &results("nvidia-h200/global-sync"), &[]);
    let levels: Vec<u8> =
        elements(&page).iter().filter_map(|name| name.strip_prefix('h').and_then(|level| level.parse().ok())).collect();
    assert_eq!(levels[0], 1);
    assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
    let structure: String = ["<h1", "<h2", "<h3", "<caption"]
        .iter()
        .flat_map(|tag| page.match_indices(tag).map(|(at, _)| at).collect::<Vec<_>>())
        .collect::<std::collections::BTreeSet<usize>>()
        .into_iter()
        .map(|at| {
            let end = at + page[at..].find("</").unwrap();
            format!("{}\n", page[at..end].replace("<span class=\"scripted\">", ""))
        })
        .collect();
    insta::assert_snapshot!(structure);
}

/// A scenario whose title ends every element that it could be in.
const HOSTILE: &str = "</script></title></style><img src=x onerror=alert(1)> & \\\" ' <!-- ]]>";

fn hostile(workspace: &Workspace) -> (PathBuf, String) {
    let scenario = SCENARIO.replace("Runtime against branches", HOSTILE);
    fs::write(workspace.path("small.toml"), scenario).unwrap();
    workspace.sweep("outside_us=5,slope_us=10", &[]).success();
    page_of(workspace, &workspace.path("run"), &[])
}

#[test]
fn texts_of_a_run_stay_texts() {
    let workspace = Workspace::new();
    let (_, page) = hostile(&workspace);
    assert!(!elements(&page).contains(&"img".to_owned()));
    assert_eq!(data_of(&page)["scenario"], workspace.read("run/scenario.toml"));
    assert!(page.contains("MOCK"));
}

/// A run with so many points, tens of thousands: two of a reference run over and over, with another width or more work each time.
fn long_run(workspace: &Workspace, rows: usize) -> PathBuf {
    let (from, to) = (results("nvidia-h200/branching"), workspace.path("long"));
    fs::create_dir(&to).unwrap();
    let metadata = fs::read_to_string(from.join("run.json")).unwrap();
    fs::write(to.join("run.json"), metadata.replace("\"points\": 64,", &format!("\"points\": {rows},"))).unwrap();
    let scenario = fs::read_to_string(from.join("scenario.toml")).unwrap();
    // Widths as far as 5000, then with more work.
    let works = rows / 10_000;
    let grid = format!(
        "[grid]\noperation = [\"compute\", \"convolution\"]\nwork = {{ from = 1, to = {works}, step = 1 }}\nwidth = {{ from = 1, to = 5000, step = 1 }}\n"
    );
    let scenario = scenario.split("[grid]").next().unwrap().to_owned() + &grid;
    let chart = "\n[[chart]]\nx = \"width\"\nseries = [\"operation\"]\n";
    fs::write(to.join("scenario.toml"), scenario + chart).unwrap();
    let text = fs::read_to_string(from.join("points.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let place = |name: &str| header.iter().position(|own| own == name).unwrap();
    let (width, work, time) = (place("width"), place("work"), place("time_us"));
    // What follows from these.
    let left_out = ["gb_per_s", "gop_per_s", "branches_per_warp", "followed_work"].map(place);
    let known: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let mut writer = csv::Writer::from_path(to.join("points.csv")).unwrap();
    writer.write_record(&header).unwrap();
    for row in 0..rows {
        let (of_operation, round) = (row / (rows / 2), row % 1000 + 1);
        let cells = known[of_operation * known.len() / 2].iter().enumerate().map(|(column, cell)| match column {
            0 => row.to_string(),
            column if column == width => (row % 5000 + 1).to_string(),
            column if column == work => (row % (rows / 2) / 5000 + 1).to_string(),
            // Time and the ends of its interval.
            column if (time..time + 3).contains(&column) => {
                (cell.parse::<f64>().unwrap() * (1.0 + 0.01 * round as f64)).to_string()
            }
            column if left_out.contains(&column) => String::new(),
            _ => cell.to_owned(),
        });
        writer.write_record(cells).unwrap();
    }
    writer.flush().unwrap();
    to
}

#[test]
fn a_long_run_is_thinned_and_says_so() {
    let workspace = Workspace::new();
    let run = long_run(&workspace, 60_000);
    let (_, page) = page_of(&workspace, &run, &[]);
    assert!(page.len() < 10_000_000, "{} bytes", page.len());
    assert!(page.contains("The run has 60000 points. This page contains the first 20000 rows"));
    let data = data_of(&page);
    assert_eq!((data["points"]["total"].as_u64(), data["points"]["shown"].as_u64()), (Some(60_000), Some(20_000)));
    let series = data["charts"][0]["series"].as_array().unwrap();
    let dots: usize = series.iter().map(|series| series["x"].as_array().unwrap().len()).sum();
    assert!((5_000..=20_000).contains(&dots), "{dots}");
}

#[test]
fn a_sweep_ends_with_its_page() {
    let workspace = Workspace::new();
    workspace.sweep("outside_us=5,slope_us=10,wrong=2", &[]).code(4);
    let page = workspace.read("run/report.html");
    elements(&page);
    assert!(page.contains("Points without a time") && page.contains("1 wrong"));
}

#[test]
fn laws_are_what_predict_says_between_points() {
    let workspace = Workspace::new();
    let run = results("nvidia-h200/transpose");
    let (_, page) = page_of(&workspace, &run, &[]);
    let data = data_of(&page);
    let chart = data["charts"].as_array().unwrap().iter().find(|chart| chart["quantity"] == "time").unwrap();
    let place =
        chart["series"].as_array().unwrap().iter().position(|series| series["label"] == "shared_padded").unwrap();
    let law = chart["laws"].as_array().unwrap().iter().find(|law| law["series"] == place).unwrap();
    let path: Vec<[f64; 2]> = serde_json::from_value(law["path"].clone()).unwrap();
    // It is drawn from where on it holds.
    assert!(law["from"].as_f64() == Some(path[0][0]) && path[0][0] > 1024.0, "{law}");
    let widths = ["4512", "5472", "7008"];
    let asked = format!("width={}", widths.join(","));
    let predict = ["predict", run.to_str().unwrap(), "--set", &asked, "--variant", "shared_padded", "--json"];
    let told: Value = serde_json::from_str(&stdout(&workspace.apbench(&predict).assert().code(0))).unwrap();
    let predictions = told["predictions"].as_array().unwrap();
    assert_eq!(predictions.len(), widths.len());
    for prediction in predictions {
        let width: f64 = prediction["set"]["width"].as_str().unwrap().parse().unwrap();
        let pair = path.windows(2).find(|pair| pair[0][0] <= width && width < pair[1][0]).unwrap();
        let part = (width - pair[0][0]) / (pair[1][0] - pair[0][0]);
        let drawn = pair[0][1] + part * (pair[1][1] - pair[0][1]);
        let time_us = prediction["time_us"].as_f64().unwrap();
        assert!((drawn / time_us - 1.0).abs() < 0.01, "{width}: {drawn} us drawn, {time_us} us predicted");
    }
}

#[test]
fn nothing_in_a_page_turns_the_direction_of_its_text() {
    let workspace = Workspace::new();
    workspace.sweep("noise_pct=0.5", &[]).code(0);
    let scenario = workspace.read("run/scenario.toml");
    let (key, title) = scenario.lines().find_map(|line| line.split_once("title = \"")).unwrap();
    assert!(key.is_empty());
    let hostile = scenario.replacen(title, &format!("Sum \\u202e\\u2066{title}"), 1);
    assert_ne!(hostile, scenario);
    fs::write(workspace.path("run/scenario.toml"), hostile).unwrap();
    let points = workspace.read("run/points.csv");
    let place = |name| points.lines().next().unwrap().split(',').position(|own| own == name).unwrap();
    let [status, reason] = ["status", "reason"].map(place);
    let mut lines: Vec<String> = points.lines().map(str::to_owned).collect();
    let mut cells: Vec<&str> = lines[1].split(',').collect();
    (cells[status], cells[reason]) = ("wrong", "\u{1b}[31mred\u{202e}");
    lines[1] = cells.join(",");
    fs::write(workspace.path("run/points.csv"), lines.join("\n") + "\n").unwrap();
    workspace.apbench(&["report", "run", "--out", "page.html"]).assert().success();
    workspace.apbench(&["plot", "run", "--out", "picture", "--format", "svg"]).assert().success();
    for file in ["page.html", "picture/runtime.svg"] {
        let text = workspace.read(file);
        let hidden = |own: &char| *own != '\n' && *own != '\t' && located_toml::words::is_control(*own);
        assert_eq!(text.chars().find(hidden), None, "{file}");
    }
}
