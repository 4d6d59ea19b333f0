// Before the first paint: a choice of light or dark goes before that of the system.
try {
  const theme = localStorage.getItem('vireo.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; the system's choice stays.
}
