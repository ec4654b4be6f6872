/** An SVG that is as wide as whatever it stands in becomes as large as its drawing: an image needs a size of its own. */
export function withSvgSize(svg: string): string {
  const [, width, height] = /viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"/.exec(svg) ?? []
  const head = /^<svg[^>]*>/.exec(svg)?.[0] ?? ''
  if (width === undefined || height === undefined || !/\swidth="100%"/.test(head)) return svg
  // Some kinds of diagrams have a height already; an attribute that is there twice is no XML.
  const bare = head.replace(/\s(?:width|height)="[^"]*"/g, '')
  return bare.replace('<svg', `<svg width="${width}" height="${height}"`) + svg.slice(head.length)
}
