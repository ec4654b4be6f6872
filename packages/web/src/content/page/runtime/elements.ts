import * as React from 'react'

/** `React.createElement` for elements as models write them: styles as text, and images from the web as gray boxes. */
export function createElement(type: React.ElementType, props: object | null, ...children: React.ReactNode[]) {
  if (type === undefined) throw new Error('An element has no component. Define it in the source, or use an HTML tag.')
  const given: Record<string, unknown> = { ...props }
  if (typeof given['style'] === 'string') given['style'] = styleObject(given['style'])
  if (typeof type !== 'string') return React.createElement(type, given, ...children)
  if ('class' in given) {
    given['className'] ??= given['class']
    delete given['class']
  }
  // In `<style jsx>`, a library for styles reads this.
  if (type === 'style') delete given['jsx']
  if (type === 'img' && !/^(?:data|blob):/.test(String(given['src']))) return placeholder(given)
  return React.createElement(type, given, ...children)
}

function placeholder({ alt, width, height, className, style, onClick }: Record<string, unknown>) {
  const name = typeof alt === 'string' && alt !== '' ? alt : 'image'
  return React.createElement(
    'div',
    {
      role: 'img',
      'aria-label': name,
      className: `page-image ${typeof className === 'string' ? className : ''}`,
      style: { ...(isLength(width) && { width }), ...(isLength(height) && { height }), ...Object(style) },
      onClick: onClick as React.MouseEventHandler,
    },
    name,
  )
}

function isLength(value: unknown): value is number {
  return typeof value === 'number'
}

export function styleObject(css: string): Record<string, string> {
  const pairs = css.split(';').flatMap((part): [string, string][] => {
    const colon = part.indexOf(':')
    if (colon < 0) return []
    const name = part.slice(0, colon).trim()
    const key = name.startsWith('--') ? name : name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
    return [[key, part.slice(colon + 1).trim()]]
  })
  return Object.fromEntries(pairs)
}
