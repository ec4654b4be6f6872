// Runs before the first paint, so that what was chosen does not flash. See src/ui/theme.ts and src/ui/appearance.ts.
{
  const { dataset } = document.documentElement
  const chosen = (name) => {
    try {
      const value = localStorage.getItem('troupe.' + name)
      return value !== null && /^[a-z]+$/.test(value) ? value : undefined
    } catch {
      // Storage is closed to this page: the system's choices hold.
      return undefined
    }
  }
  for (const name of ['theme', 'contrast', 'motion', 'text']) {
    const value = chosen(name)
    if (value !== undefined) dataset[name] = value
  }
  const strong = matchMedia('(prefers-contrast: more), (forced-colors: active)')
  const follow = () => {
    if (chosen('contrast') !== undefined) return
    if (strong.matches) dataset.contrast = 'more'
    else delete dataset.contrast
  }
  strong.addEventListener('change', follow)
  follow()
}
