/** Shapes by icon name. The module has one export for each. */
declare const icons: Readonly<
  Record<string, { node: readonly (readonly [tag: string, attributes: Record<string, string>])[] }>
>
export = icons
