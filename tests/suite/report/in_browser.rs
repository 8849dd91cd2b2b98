//! What a page does in a browser, on paper and for everybody.

use std::fs;

use serde_json::Value;

use super::{HOSTILE, data_of, elements, hostile, long_run, page_of, results};
use crate::browser::Browser;
use crate::common::{SCENARIO, Workspace, column};

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
    // On a telephone the picture itself is, below the first sentence.
    browser.resize(390, 844);
    for run in ["nvidia-h200/branching", "nvidia-h200/reduction", "nvidia-h200/transpose", "simulated-h200/branching"] {
        let (path, _) = page_of(&workspace, &results(run), &[]);
        browser.open(&path);
        let place = |what: &str| {
            let of = format!("document.querySelector('{what}').getBoundingClientRect()");
            ["top", "bottom"].map(|side| browser.evaluate(&format!("{of}.{side}")).as_f64().unwrap())
        };
        let ([_, sentence], [top, bottom]) = (place(".overview"), place("#charts svg, #charts canvas"));
        assert!(sentence <= top && top < 570.0, "{run}: the sentence ends at {sentence}, the picture begins at {top}");
        assert!(bottom > top + 100.0, "{run}: {top} to {bottom}");
        let window = browser.evaluate("document.documentElement.scrollWidth").as_f64().unwrap();
        assert!(window <= 390.0, "{run}: {window} pixels wide");
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
