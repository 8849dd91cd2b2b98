//! `apbench report`: what is in the page, and what it does in a browser.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::browser::Browser;
use super::common::{SCENARIO, Workspace, column, stdout};

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

/// A run with so many points: those of a reference run over and over, with another width each time.
fn long_run(workspace: &Workspace, rows: usize) -> PathBuf {
    let (from, to) = (results("nvidia-h200/branching"), workspace.path("long"));
    fs::create_dir(&to).unwrap();
    let metadata = fs::read_to_string(from.join("run.json")).unwrap();
    fs::write(to.join("run.json"), metadata.replace("\"points\": 64,", &format!("\"points\": {rows},"))).unwrap();
    let scenario = fs::read_to_string(from.join("scenario.toml")).unwrap();
    let scenario = scenario.split("[[chart]]").next().unwrap().split("[[fit]]").next().unwrap().to_owned();
    let chart = "\n[[chart]]\nx = \"width\"\nseries = [\"operation\"]\n";
    fs::write(to.join("scenario.toml"), scenario + chart).unwrap();
    let text = fs::read_to_string(from.join("points.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let place = |name: &str| header.iter().position(|own| own == name).unwrap();
    let (width, work, time) = (place("width"), place("work"), place("time_us"));
    let known: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let mut writer = csv::Writer::from_path(to.join("points.csv")).unwrap();
    writer.write_record(&header).unwrap();
    for row in 0..rows {
        let round = row / known.len() + 1;
        let cells = known[row % known.len()].iter().enumerate().map(|(column, cell)| match column {
            0 => row.to_string(),
            // As far as widths go, then with more work.
            column if column == width => (row % 16_384 + 1).to_string(),
            column if column == work => (row / 16_384 + 1).to_string(),
            // Time and the ends of its interval.
            column if (time..time + 3).contains(&column) => {
                (cell.parse::<f64>().unwrap() * (1.0 + 0.01 * round as f64)).to_string()
            }
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

/// Where a point of the first chart is in the window, by the axes that are drawn.
const PLACE: &str = "(() => {
    const over = document.querySelector('.u-over');
    over.scrollIntoView({ block: 'center', behavior: 'instant' });
    const box = over.getBoundingClientRect();
    return { left: box.left, top: box.top, width: box.width, height: box.height };
})()";

#[test]
fn in_a_browser_a_page_shows_hides_sorts_zooms_and_saves() {
    let Some(browser) = Browser::start(1200, 900) else { return };
    let workspace = Workspace::new();
    let run = results("nvidia-h200/branching");
    let (path, page) = page_of(&workspace, &run, &[]);
    browser.open(&path);

    // The axes reach 3 % beyond the points, and 6 % above the largest value: so is the point with 20 branches.
    let number = |value: &Value, name: &str| value[name].as_f64().unwrap();
    let place = browser.evaluate(PLACE);
    let (x_low, x_high) = (1.0 - 31.0 * 0.03, 32.0 + 31.0 * 0.03);
    let data = data_of(&page);
    let series = data["charts"][0]["series"].as_array().unwrap();
    let highest =
        series.iter().flat_map(|own| own["high"].as_array().unwrap()).filter_map(Value::as_f64).fold(0.0, f64::max);
    let value = series[0]["value"][19].as_f64().unwrap();
    let x = number(&place, "left") + (20.0 - x_low) / (x_high - x_low) * number(&place, "width");
    let y = number(&place, "top") + (1.0 - value / (highest * 1.06)) * number(&place, "height");
    browser.mouse("mouseMoved", x + 2.0, y + 2.0, 0);
    let points = fs::read_to_string(run.join("points.csv")).unwrap();
    let [time, low, high, samples] =
        ["time_us", "time_us_low", "time_us_high", "samples"].map(|name| column(&points, name)[19].clone());
    let ms = |us: &str| {
        let text = format!("{:.5}", us.parse::<f64>().unwrap() / 1e3);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    let tip = browser.text("document.querySelector('.tip.shown')?.innerText");
    assert!(tip.starts_with("compute\n"), "{tip}");
    for part in [
        format!("{} ms", ms(&time)),
        format!("{} ms to {} ms", ms(&low), ms(&high)),
        format!("samples\n{samples}"),
        "branches\n20".to_owned(),
    ] {
        assert!(tip.contains(&part), "{part} is not in:\n{tip}");
    }
    browser.mouse("mousePressed", x + 2.0, y + 2.0, 1);
    browser.mouse("mouseReleased", x + 2.0, y + 2.0, 1);
    assert!(browser.text("document.querySelector('.details').innerText").contains(&time));

    // Dragging zooms, a double click takes it back.
    let zoomed = "!document.querySelector('.whole').hidden";
    for (kind, x, y) in
        [("mousePressed", x - 200.0, y - 60.0), ("mouseMoved", x, y + 60.0), ("mouseReleased", x, y + 60.0)]
    {
        browser.mouse(kind, x, y, 1);
    }
    browser.settle();
    assert_eq!(browser.evaluate(zoomed), true);
    for clicks in [1, 2] {
        browser.mouse("mousePressed", x, y, clicks);
        browser.mouse("mouseReleased", x, y, clicks);
    }
    browser.settle();
    assert_eq!(browser.evaluate(zoomed), false);

    // Without its series a point is not found.
    browser.evaluate("document.querySelector('.legend button').focus()");
    browser.key(" ");
    assert_eq!(browser.text("document.activeElement.getAttribute('aria-pressed')"), "false");
    browser.mouse("mouseMoved", x + 1.0, y + 1.0, 0);
    assert!(!browser.text("document.querySelector('.tip.shown')?.innerText").starts_with("compute"));
    browser.key("Enter");
    assert_eq!(browser.text("document.activeElement.getAttribute('aria-pressed')"), "true");

    // Keys go from point to point and say what is there.
    browser.evaluate("document.querySelector('.plot').focus()");
    browser.key("Escape");
    browser.key("ArrowRight");
    browser.key("ArrowRight");
    let spoken = browser.text("document.querySelector('[aria-live]').textContent");
    assert!(spoken.starts_with("compute, median time 543.168 µs"), "{spoken}");

    // A header sorts, both ways.
    let by_time =
        "[...document.querySelectorAll('[data-rows=points] thead th')].find((own) => own.textContent === 'time_us')";
    browser.evaluate(&format!("{by_time}.querySelector('button').focus()"));
    let first = "document.querySelector('[data-rows=points] tbody tr').cells[0].textContent";
    browser.key("Enter");
    assert_eq!(
        (browser.text(&format!("{by_time}.getAttribute('aria-sort')")), browser.text(first)),
        ("ascending".into(), "0".into())
    );
    browser.key("Enter");
    assert_eq!(
        (browser.text(&format!("{by_time}.getAttribute('aria-sort')")), browser.text(first)),
        ("descending".into(), "63".into())
    );

    // What is saved is what the run has.
    browser.evaluate("URL.createObjectURL = (blob) => { window.saved = blob; return 'blob:none'; }; HTMLAnchorElement.prototype.click = () => {}; 0");
    for (button, file) in [("points", "points.csv"), ("fits", "fits.csv"), ("scenario", "scenario.toml")] {
        browser.evaluate(&format!("document.querySelector('[data-download={button}]').click()"));
        assert_eq!(browser.text("window.saved.text()"), fs::read_to_string(run.join(file)).unwrap(), "{file}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn in_a_browser_texts_of_a_run_run_nothing() {
    let Some(browser) = Browser::start(1200, 900) else { return };
    let workspace = Workspace::new();
    let (path, _) = hostile(&workspace);
    browser.open(&path);
    assert_eq!(browser.text("document.querySelector('h1').textContent"), HOSTILE.replace("\\\"", "\""));
    assert_eq!(browser.evaluate("document.images.length"), 0);
    assert_eq!(browser.evaluate("document.querySelectorAll('.live canvas').length > 0"), true);
    // Even a script that got in would not run.
    browser.evaluate("{ const script = document.createElement('script'); script.textContent = 'window.broken = 1'; document.body.append(script); }");
    assert_eq!(browser.evaluate("window.broken === undefined"), true);
    let complaints = browser.complaints();
    assert!(complaints.len() == 1 && complaints[0].contains("Content Security Policy"), "{complaints:?}");
}

#[test]
fn a_page_prints() {
    let Some(browser) = Browser::start(1200, 900) else { return };
    let workspace = Workspace::new();
    let (path, _) = page_of(&workspace, &results("nvidia-h200/global-sync"), &["--theme", "dark"]);
    browser.open(&path);
    assert!(browser.print().starts_with("JVBERi0"), "no PDF");
    browser.call("Emulation.setEmulatedMedia", &serde_json::json!({ "media": "print" }));
    assert_eq!(browser.text("getComputedStyle(document.documentElement).backgroundColor"), "rgb(255, 255, 255)");
    let shown = |selector: &str| {
        browser.evaluate(&format!("[...document.querySelectorAll('{selector}')].every((own) => own.checkVisibility())"))
    };
    assert_eq!(
        (shown(".picture.light"), shown(".picture.dark"), shown(".live")),
        (true.into(), false.into(), false.into())
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// What a reader who does not see the page, or not well, depends on; each fault in words.
const FAULTS: &str = r"(() => {
    const faults = [];
    const check = (holds, fault) => { if (!holds) faults.push(fault); };
    const all = (selector) => [...document.querySelectorAll(selector)];
    check(document.documentElement.lang === 'en', 'no language');
    check(all('h1').length === 1 && all('main').length === 1, 'not one h1 and one main');
    check(document.querySelector('body > a').getAttribute('href') === '#findings', 'no skip link in front');
    for (const id of ['findings', 'charts', 'tables', 'device', 'provenance', 'data']) check(document.getElementById(id), `no #${id}`);
    const ids = all('[id]').map((own) => own.id);
    check(new Set(ids).size === ids.length, 'an id twice');
    for (const table of all('table')) {
        check(table.caption?.textContent.trim(), 'a table without caption');
        check([...table.querySelectorAll('th')].every((own) => own.scope), 'a header without scope');
        check([...table.rows].every((row) => row.cells.length === table.tHead.rows[0].cells.length), 'rows of other lengths');
    }
    for (const own of all('button, a[href], summary')) check(own.textContent.trim(), `a ${own.localName} without name`);
    for (const own of all('svg, [tabindex], section, nav, figure')) {
        if (!own.closest('svg') || own.localName === 'svg') check(own.ariaLabel || own.getAttribute('aria-labelledby') || own.localName === 'pre', `a ${own.localName} without name`);
    }
    for (const own of all('[aria-labelledby]')) check(document.getElementById(own.getAttribute('aria-labelledby')), 'a label that is not there');
    const light = (text) => {
        const [r, g, b] = text.match(/[\d.]+/g).map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (own) => { while (own && /, 0\)$/.test(getComputedStyle(own).backgroundColor)) own = own.parentElement; return light(getComputedStyle(own ?? document.documentElement).backgroundColor); };
    for (const own of all('body *')) {
        if (own.closest('svg, script') || own.disabled || !own.checkVisibility() || ![...own.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) continue;
        const [one, other] = [light(getComputedStyle(own).color), ground(own)];
        const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        check(ratio >= 4.5, `contrast ${ratio.toFixed(2)} of ${own.localName}.${own.className}`);
    }
    return [...new Set(faults)];
})()";

#[test]
fn a_page_is_for_everybody() {
    let Some(browser) = Browser::start(1200, 900) else { return };
    let workspace = Workspace::new();
    let (path, _) = page_of(&workspace, &results("nvidia-h200/global-sync"), &[]);
    let none = Value::Array(Vec::new());
    for scheme in ["light", "dark"] {
        let feature = serde_json::json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.call("Emulation.setEmulatedMedia", &feature);
        browser.open(&path);
        assert_eq!(browser.evaluate(FAULTS), none, "{scheme}");
    }
    browser.resize(360, 740);
    browser.open(&path);
    assert_eq!(browser.evaluate("document.documentElement.scrollWidth <= 360"), true);
    assert_eq!(browser.evaluate(FAULTS), none);
    // The first stop of the tabulator is the link past everything that is the same on every page.
    browser.key("Tab");
    assert_eq!(browser.text("document.activeElement.className"), "skip");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn other_runs_are_beside_it() {
    let workspace = Workspace::new();
    let (measured, simulated) = (results("nvidia-h200/branching"), results("simulated-h200/branching"));
    let (path, page) = page_of(&workspace, &measured, &["--compare", simulated.to_str().unwrap()]);
    elements(&page);
    for word in ["SIMULATED", "t_branch", "the geometric mean of 64 points is", "chart-compared-runtime-0"] {
        assert!(page.contains(word), "{word}");
    }
    // The first point of both, as `apbench compare --csv` has it.
    let output =
        workspace.apbench(&["compare", measured.to_str().unwrap(), simulated.to_str().unwrap(), "--csv"]).assert();
    let csv = String::from_utf8(output.success().get_output().stdout.clone()).unwrap();
    let ratio: f64 = column(&csv, "ratio")[0].parse().unwrap();
    assert!(page.contains(&format!(">{ratio:.3}</td>")), "{ratio}");
    let Some(browser) = Browser::start(1200, 900) else { return };
    browser.open(&path);
    assert_eq!(browser.evaluate(FAULTS), Value::Array(Vec::new()));
    assert_eq!(browser.evaluate("document.querySelectorAll('#comparison .live canvas').length > 0"), true);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn in_a_browser_bars_and_heat_maps_are_told_part_by_part() {
    let workspace = Workspace::new();
    let charts = "\n[[chart]]\nname = \"bars\"\nkind = \"bars\"\nx = \"operation\"\n\n\
        [[chart]]\nname = \"heat\"\nkind = \"heat\"\nx = \"branches\"\nrows = \"operation\"\n";
    fs::write(workspace.path("small.toml"), SCENARIO.to_owned() + charts).unwrap();
    workspace.sweep("outside_us=5,slope_us=10", &[]).success();
    elements(&workspace.read("run/report.html"));
    let Some(browser) = Browser::start(1200, 900) else { return };
    browser.open(&workspace.path("run/report.html"));
    for name in ["bars", "heat"] {
        let picture = format!("document.querySelector('[aria-labelledby=figure-{name}] .picture.light')");
        browser.evaluate(&format!("{picture}.querySelector('svg').focus()"));
        browser.key("ArrowRight");
        let said = browser.text(&format!("{picture}.querySelector('.said').textContent"));
        assert!(said.contains("µs"), "{name}: {said}");
    }
    assert_eq!(browser.evaluate(FAULTS), Value::Array(Vec::new()));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_sweep_ends_with_its_page() {
    let workspace = Workspace::new();
    workspace.sweep("outside_us=5,slope_us=10,wrong=2", &[]).code(4);
    let page = workspace.read("run/report.html");
    elements(&page);
    assert!(page.contains("Points without a time") && page.contains("1 wrong"));
}

/// How long a redraw and the search for a point take with ten thousand points: printed, not judged.
#[test]
fn ten_thousand_points_can_be_gone_through() {
    let Some(browser) = Browser::start(1200, 900) else { return };
    let workspace = Workspace::new();
    let run = long_run(&workspace, 10_000);
    let (path, page) = page_of(&workspace, &run, &[]);
    let dots = |own: &Value| own["x"].as_array().unwrap().len();
    let drawn: usize = data_of(&page)["charts"][0]["series"].as_array().unwrap().iter().map(dots).sum();
    assert_eq!(drawn, 10_000);
    browser.open(&path);
    let place = browser.evaluate(PLACE);
    let time = browser.evaluate(
        "(async () => {
            const frame = () => new Promise((done) => requestAnimationFrame(done));
            const over = document.querySelector('.u-over');
            const box = over.getBoundingClientRect();
            let start = performance.now();
            for (let step = 0; step < 100; step++) over.dispatchEvent(new MouseEvent('mousemove', { clientX: box.left + step * 5, clientY: box.top + 200, bubbles: true }));
            const hover = (performance.now() - start) / 100;
            const button = document.querySelector('.legend button');
            start = performance.now();
            for (let step = 0; step < 10; step++) { button.click(); await frame(); await frame(); }
            return { hover, redraw: (performance.now() - start) / 10 };
        })()",
    );
    println!(
        "10000 points: hover {:.2} ms, redraw {:.1} ms, two frames in it",
        time["hover"].as_f64().unwrap(),
        time["redraw"].as_f64().unwrap()
    );
    let (x, y) = (place["left"].as_f64().unwrap() + 200.0, place["top"].as_f64().unwrap() + 150.0);
    let is_shown = |step: i32| {
        browser.mouse("mouseMoved", x, y + f64::from(step) * 8.0, 0);
        browser.text("document.querySelector('.tip.shown')?.innerText").contains("median time")
    };
    assert!((0..30).any(is_shown));

    // The table turns its pages.
    let rows = "document.querySelector('[data-rows=points] tbody').rows.length";
    let first = "document.querySelector('[data-rows=points] tbody').rows[0].cells[0].textContent";
    assert_eq!((browser.evaluate(rows).as_u64(), browser.text(first)), (Some(100), "0".into()));
    browser.evaluate("[...document.querySelectorAll('.pages button')].at(-1).click()");
    assert_eq!((browser.evaluate(rows).as_u64(), browser.text(first)), (Some(100), "100".into()));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn in_a_browser_the_first_chart_is_on_the_first_screen() {
    let Some(browser) = Browser::start(1400, 900) else { return };
    let workspace = Workspace::new();
    for run in ["nvidia-h200/branching", "nvidia-h200/reduction", "nvidia-h200/transpose", "simulated-h200/branching"] {
        let (path, _) = page_of(&workspace, &results(run), &[]);
        browser.open(&path);
        let top = browser.evaluate("document.querySelector('#charts figure').getBoundingClientRect().top");
        assert!(top.as_f64().unwrap() < 700.0, "{run}: {top}");
    }
}

#[test]
fn in_a_browser_what_is_told_of_a_point_stays_in_a_narrow_window() {
    let Some(browser) = Browser::start(390, 800) else { return };
    let workspace = Workspace::new();
    let (path, _) = page_of(&workspace, &results("simulated-h200/branching"), &[]);
    browser.open(&path);
    browser.evaluate("document.querySelector('.plot').focus()");
    for _ in 0..20 {
        browser.key("ArrowRight");
        let [left, right, wide] = ["left", "right", "width"].map(|side| {
            let box_of = format!("document.querySelector('.tip.shown').getBoundingClientRect().{side}");
            browser.evaluate(&box_of).as_f64().unwrap()
        });
        let window = browser.evaluate("document.documentElement.clientWidth").as_f64().unwrap();
        assert!(wide > 100.0 && left >= 0.0 && right <= window, "{left} to {right} of {window}");
    }
    let tip = browser.text("document.querySelector('.tip.shown').innerText");
    assert!(tip.contains("divergent_branches") && !tip.contains("constant_instructions"), "{tip}");
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
    let widths = ["3008", "5472", "7008"];
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
