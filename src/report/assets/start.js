// Makes the page interactive; without this it shows its static pictures and tables.

document.documentElement.classList.add("has-scripts");
tables();
downloads();
document.querySelectorAll("figure > .static > .picture").forEach(explore);
data.charts.forEach((chart) => {
  const figure = document.getElementById(chart.id);
  const place = element("div", { class: "live" });
  figure.querySelector(".static").before(place);
  try {
    figure.classList.add("is-live");
    new View(chart, place);
  } catch (error) {
    // The static picture says the same.
    figure.classList.remove("is-live");
    place.remove();
    throw error;
  }
});
