import { transform } from 'sucrase'

/** JavaScript of a page. Its component is the default export, named or not. */
export function compile(source: string): string {
  const { code } = transform(withExport(source), {
    transforms: ['jsx', 'typescript', 'imports'],
    production: true,
    jsxPragma: 'createElement',
    jsxFragmentPragma: 'Fragment',
  })
  return code
}

/** Models also write a component without exporting it, and elements without a component. */
export function withExport(source: string): string {
  if (/^\s*export\s+default\b/m.test(source) || /\.render\s*\(/.test(source)) return source
  const element = /^<(?=[A-Za-z>])/m.exec(source)
  if (element !== null) {
    const rest = source.slice(element.index).replace(/[\s;]+$/, '')
    return `${source.slice(0, element.index)}export default () => (<>${rest}</>)`
  }
  const names = [...source.matchAll(/^(?:export\s+)?(?:function|const|let|class)\s+([A-Z]\w*)/gm)].map(
    ([, name]) => name,
  )
  const main = names.includes('App') ? 'App' : names.at(-1)
  return main === undefined ? source : `${source}\nexport default ${main}`
}
