/** Mermaid's `themeVariables`; see its `theme-base`. */
export type DiagramColors = Record<string, unknown>

/**
 * Colors for items distinguished only by color: branches, slices, tasks. Each is legible on the page, and page text on
 * it.
 */
const kinds = [
  '--accent',
  '--ask',
  '--ansi-blue',
  '--ansi-magenta',
  '--bad',
  '--ansi-cyan',
  '--good',
  '--ansi-black',
] as const

/** Diagram colors from the page's current tokens, for any theme and contrast. */
export function diagramColors(isDark: boolean): DiagramColors {
  const token = openTokens()
  const [raised, ink, quiet, line, strong] = ['--raised', '--ink', '--ink-2', '--line', '--line-strong'].map(token.read)
  const [sunken, soft, accent, note, noteLine] = [
    '--sunken',
    '--accent-soft',
    '--accent',
    '--ask-soft',
    '--ask-line',
  ].map(token.read)
  const [bad, badSoft] = ['--bad', '--bad-soft'].map(token.read)
  const pure = kinds.map(token.read)
  token.close()
  const tints = pure.map((colour) => mix(colour, raised ?? '', 0.3))
  return {
    darkMode: isDark,
    background: raised,
    fontSize: '14px',
    dropShadow: 'none',
    textColor: ink,
    titleColor: ink,
    primaryColor: soft,
    primaryTextColor: ink,
    primaryBorderColor: accent,
    secondaryColor: sunken,
    secondaryTextColor: ink,
    secondaryBorderColor: strong,
    tertiaryColor: sunken,
    tertiaryTextColor: ink,
    tertiaryBorderColor: strong,
    lineColor: quiet,
    arrowheadColor: quiet,
    mainBkg: soft,
    nodeBorder: accent,
    nodeTextColor: ink,
    clusterBkg: sunken,
    clusterBorder: strong,
    edgeLabelBackground: raised,
    classText: ink,
    labelColor: ink,
    attributeBackgroundColorOdd: raised,
    attributeBackgroundColorEven: sunken,
    rowOdd: raised,
    rowEven: sunken,
    actorBkg: soft,
    actorBorder: accent,
    actorTextColor: ink,
    actorLineColor: strong,
    signalColor: quiet,
    signalTextColor: ink,
    labelBoxBkgColor: sunken,
    labelBoxBorderColor: strong,
    labelTextColor: ink,
    loopTextColor: ink,
    activationBkgColor: sunken,
    activationBorderColor: strong,
    sequenceNumberColor: raised,
    noteBkgColor: note,
    noteBorderColor: noteLine,
    noteTextColor: ink,
    transitionColor: quiet,
    transitionLabelColor: ink,
    stateLabelColor: ink,
    stateBkg: soft,
    labelBackgroundColor: raised,
    compositeBackground: sunken,
    compositeTitleBackground: soft,
    altBackground: raised,
    innerEndBackground: quiet,
    specialStateColor: quiet,
    sectionBkgColor: sunken,
    sectionBkgColor2: sunken,
    altSectionBkgColor: raised,
    gridColor: line,
    todayLineColor: bad,
    taskBkgColor: soft,
    taskBorderColor: accent,
    taskTextColor: ink,
    taskTextDarkColor: ink,
    taskTextLightColor: ink,
    taskTextOutsideColor: ink,
    taskTextClickableColor: accent,
    activeTaskBkgColor: tints[2],
    activeTaskBorderColor: pure[2],
    doneTaskBkgColor: sunken,
    doneTaskBorderColor: strong,
    critBkgColor: badSoft,
    critBorderColor: bad,
    excludeBkgColor: sunken,
    errorBkgColor: badSoft,
    errorTextColor: bad,
    // For Mermaid's `journey`, which has no theme variables.
    actorColours: pure,
    pieTitleTextColor: ink,
    pieSectionTextColor: ink,
    pieLegendTextColor: ink,
    pieStrokeColor: raised,
    pieOuterStrokeColor: line,
    pieOpacity: '1',
    quadrant1Fill: soft,
    quadrant2Fill: sunken,
    quadrant3Fill: sunken,
    quadrant4Fill: sunken,
    quadrant1TextFill: ink,
    quadrant2TextFill: ink,
    quadrant3TextFill: ink,
    quadrant4TextFill: ink,
    quadrantPointFill: accent,
    quadrantPointTextFill: ink,
    quadrantXAxisTextFill: quiet,
    quadrantYAxisTextFill: quiet,
    quadrantTitleFill: ink,
    quadrantInternalBorderStrokeFill: line,
    quadrantExternalBorderStrokeFill: strong,
    xyChart: {
      backgroundColor: raised,
      titleColor: ink,
      xAxisLabelColor: quiet,
      xAxisTitleColor: ink,
      xAxisTickColor: strong,
      xAxisLineColor: strong,
      yAxisLabelColor: quiet,
      yAxisTitleColor: ink,
      yAxisTickColor: strong,
      yAxisLineColor: strong,
      plotColorPalette: pure.join(','),
    },
    commitLabelColor: ink,
    commitLabelBackground: sunken,
    tagLabelColor: ink,
    tagLabelBackground: soft,
    tagLabelBorder: accent,
    ...numbered('pie', 12, tints, 1),
    ...numbered('cScale', 12, tints),
    ...numbered('cScaleLabel', 12, [ink]),
    ...numbered('cScaleInv', 12, pure),
    ...numbered('cScalePeer', 12, pure),
    ...numbered('git', 8, pure),
    ...numbered('gitInv', 8, [raised]),
    ...numbered('gitBranchLabel', 8, [raised]),
    ...numbered('fillType', 8, tints),
  }
}

/** Repeats the colors as `pie1` to `pie12`. */
function numbered(name: string, count: number, colours: readonly (string | undefined)[], from = 0): DiagramColors {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`${name}${i + from}`, colours[i % colours.length]]),
  )
}

/** A token's value is known only where it is used. */
function openTokens(): { read: (name: string) => string; close: () => void } {
  const probe = document.createElement('span')
  document.body.append(probe)
  return {
    read(name) {
      probe.style.color = `var(${name})`
      return toHex(channels(getComputedStyle(probe).color))
    },
    close: () => probe.remove(),
  }
}

function channels(colour: string): number[] {
  const hex = /^#(..)(..)(..)$/.exec(colour)
  if (hex !== null) return hex.slice(1).map((pair) => Number.parseInt(pair, 16))
  return (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number)
}

function mix(one: string, other: string, part: number): string {
  const under = channels(other)
  return toHex(channels(one).map((channel, i) => channel * part + (under[i] ?? 0) * (1 - part)))
}

function toHex(numbers: readonly number[]): string {
  return `#${numbers.map((number) => Math.round(number).toString(16).padStart(2, '0')).join('')}`
}

/** Gives a fluid SVG the size of its drawing, because an image needs an intrinsic size. */
export function withSvgSize(svg: string): string {
  const [, width, height] = /viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"/.exec(svg) ?? []
  const head = /^<svg[^>]*>/.exec(svg)?.[0] ?? ''
  if (width === undefined || height === undefined || !/\swidth="100%"/.test(head)) return svg
  // Some diagrams already have a height, and duplicate attributes are invalid XML.
  const bare = head.replace(/\s(?:width|height)="[^"]*"/g, '')
  return bare.replace('<svg', `<svg width="${width}" height="${height}"`) + svg.slice(head.length)
}
