/**
 * True if a page has state, effects or handlers. `readPage` gives such a page its first appearance; a browser must run
 * it to make it work.
 */
export function isInteractive(source: string): boolean {
  return /\buse(?:State|Reducer|Effect|LayoutEffect|SyncExternalStore)\s*[(<]|\son[A-Z]\w*=\{|\.addEventListener\(/.test(
    source,
  )
}

/** Title of a page that only a browser can run: its first heading, or the name of its component. */
export function scriptTitle(source: string): string | undefined {
  const [, heading = ''] = /<h[12][^>]*>\s*(?:<[A-Z]\w*[^>]*\/>\s*)?([^<>{}]+?)\s*<\/h[12]>/.exec(source) ?? []
  if (heading !== '') return heading.replaceAll(/\s+/g, ' ')
  const [, name = ''] = /export\s+default\s+(?:function\s+)?([A-Z]\w*)/.exec(source) ?? []
  if (name === '' || name === 'App') return undefined
  const words = name.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ').toLowerCase()
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
