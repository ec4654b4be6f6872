// Runs before the first paint, so that a remembered theme does not flash. See src/ui/theme.ts.
try {
  const theme = localStorage.getItem('troupe.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is closed to this page: the system's theme holds.
}
