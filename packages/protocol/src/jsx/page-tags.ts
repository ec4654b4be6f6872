/** Tags of a page, as HTML and SVG write them. Everything else is left out, together with its content. */
export const htmlTags = new Set(
  (
    'a abbr address article aside b bdi bdo blockquote br button caption cite code col colgroup data dd del details dfn div dl dt em ' +
    'fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr i img input ins kbd label legend li main mark menu meter nav ' +
    'ol optgroup option output p picture pre progress q rp rt ruby s samp search section select small span strong style sub summary sup ' +
    'table tbody td textarea tfoot th thead time tr u ul var wbr'
  ).split(' '),
)

export const svgTags = new Set(
  (
    'svg g path rect circle ellipse line polyline polygon text tspan textPath defs linearGradient radialGradient stop clipPath mask pattern ' +
    'symbol use title desc marker filter feGaussianBlur feOffset feMerge feMergeNode feBlend feColorMatrix feDropShadow feFlood feComposite ' +
    'feTurbulence feDisplacementMap feMorphology animate animateTransform animateMotion mpath'
  ).split(' '),
)

/** Tags that are replaced by their content. */
export const wrapperTags = new Set(['html', 'body', 'center', 'font'])

/** Names in JSX that differ from HTML by more than upper case. */
const renamed: Record<string, string> = {
  className: 'class',
  htmlFor: 'for',
  defaultValue: 'value',
  defaultChecked: 'checked',
  xlinkHref: 'href',
  'xlink:href': 'href',
}

const everywhere = new Set('class style id title lang dir hidden role tabindex translate'.split(' '))

const byTag: Record<string, string> = {
  a: 'href target rel',
  abbr: '',
  blockquote: 'cite',
  button: 'type disabled value',
  col: 'span',
  colgroup: 'span',
  data: 'value',
  del: 'datetime',
  details: 'open name',
  fieldset: 'disabled',
  img: 'src alt width height loading decoding',
  input:
    'type value placeholder checked disabled readonly required min max step minlength maxlength multiple name pattern autocomplete size',
  ins: 'datetime',
  label: 'for',
  li: 'value',
  meter: 'value min max low high optimum',
  ol: 'start type reversed',
  optgroup: 'label disabled',
  option: 'value label selected disabled',
  output: 'for',
  progress: 'value max',
  select: 'value name multiple disabled required size',
  table: 'border cellpadding cellspacing width',
  td: 'colspan rowspan headers align valign width',
  textarea: 'value placeholder rows cols disabled readonly required name maxlength',
  th: 'colspan rowspan headers scope align valign width',
  time: 'datetime',
  tr: 'align valign',
}

const allowed = new Map(Object.entries(byTag).map(([tag, names]) => [tag, new Set(names.split(' '))]))

const svgAttributes = new Map(
  (
    'accumulate additive alignment-baseline amplitude attributeName attributeType azimuth baseFrequency baseline-shift begin bias by calcMode ' +
    'clip-path clip-rule clipPathUnits color color-interpolation color-interpolation-filters cursor cx cy d dominant-baseline dur dx dy edgeMode ' +
    'end fill fill-opacity fill-rule filter filterUnits flood-color flood-opacity font-family font-size font-style font-weight from fr fx fy ' +
    'gradientTransform gradientUnits height href in in2 k1 k2 k3 k4 keyPoints keySplines keyTimes lengthAdjust letter-spacing marker-end ' +
    'marker-mid marker-start markerHeight markerUnits markerWidth mask maskContentUnits maskUnits mode numOctaves offset opacity operator order ' +
    'orient origin overflow paint-order path pathLength patternContentUnits patternTransform patternUnits points preserveAspectRatio r radius ' +
    'refX refY repeatCount repeatDur result rotate rx ry scale seed shape-rendering spacing spreadMethod startOffset stdDeviation stitchTiles ' +
    'stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity ' +
    'stroke-width text-anchor text-decoration text-rendering textLength to transform transform-origin type values vector-effect version viewBox ' +
    'visibility width word-spacing x x1 x2 xChannelSelector xmlns y y1 y2 yChannelSelector z'
  )
    .split(' ')
    .map((name) => [name.replaceAll('-', '').toLowerCase(), name]),
)

/** The attribute's name in HTML or SVG. Undefined if the tag may not have it. */
export function attributeName(tag: string, given: string): string | undefined {
  const name = Object.hasOwn(renamed, given) ? (renamed[given] as string) : given
  const lower = name.toLowerCase()
  if (/^(?:data|aria)-[\w-]+$/.test(lower)) return lower
  if (/^aria[A-Z]/.test(name)) return `aria-${lower.slice(4)}`
  if (everywhere.has(lower)) return lower
  if (allowed.get(tag)?.has(lower) === true) return lower
  return svgTags.has(tag) && !htmlTags.has(tag) ? svgAttributes.get(lower.replaceAll('-', '')) : undefined
}
