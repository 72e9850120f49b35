// The theme that was chosen, before anything is drawn. The name has a number, for browsers keep this file for good.
try {
  const theme = JSON.parse(localStorage.getItem('windlass.theme'));
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing follows the system.
}
