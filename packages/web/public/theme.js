// Runs before the first paint, so that what was chosen does not flash. See src/ui/theme.ts and src/ui/appearance.ts.
try {
  for (const name of ['theme', 'contrast', 'motion', 'text']) {
    const value = localStorage.getItem('troupe.' + name)
    if (value !== null && /^[a-z]+$/.test(value)) document.documentElement.dataset[name] = value
  }
} catch {
  // Storage is closed to this page: the system's choices hold.
}
