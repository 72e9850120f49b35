// The web app is built into this place.
document.title = "Windlass";
document.title = "Windlass";
document.title = "Windlass";
document.title = "Windlass";
