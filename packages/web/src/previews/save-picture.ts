/** Saves a PNG that a frame has drawn. False where it is none. */
export function saveImage(address: string, name: string): boolean {
  const base64 = /^data:image\/png;base64,([A-Za-z0-9+/]+=*)$/.exec(address)?.[1]
  if (base64 === undefined) return false
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([bytes], { type: 'image/png' }))
  link.download = `${
    name
      .replaceAll(/[^\p{L}\p{N} _-]+/gu, ' ')
      .trim()
      .slice(0, 80) || 'chart'
  }.png`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
  return true
}
