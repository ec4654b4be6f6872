/** How the key is called that says something to the running answer. */
export function steerKey(platform: string = navigator.platform): string {
  return /mac|iphone|ipad/i.test(platform) ? '⌘ Enter' : 'Ctrl Enter'
}
