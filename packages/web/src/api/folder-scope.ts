/** Names the folder in a path of the server. Null: the server's own folder, which needs no name. */
export function inFolder(path: string, folder: string | null): string {
  if (folder === null || !path.startsWith('/ai/') || /[?&]workspace=/.test(path)) return path
  return `${path}${path.includes('?') ? '&' : '?'}workspace=${encodeURIComponent(folder)}`
}

/** The path without its folder. */
export function withoutFolder(path: string): string {
  return path.replace(/([?&])workspace=[^&]*(&)?/, (_, before: string, after?: string) => (after ? before : ''))
}
