import './family-mark.css'

type Shape = 'ring' | 'star' | 'diamond' | 'wave' | 'bars' | 'dots' | 'hexagon' | 'arc'

const shapes: readonly Shape[] = ['ring', 'star', 'diamond', 'wave', 'bars', 'dots', 'hexagon', 'arc']
/** Original marks, a shape and a color each. None is a trademark. */
const families: Readonly<Record<string, { shape: Shape; hue: number }>> = {
  claude: { shape: 'star', hue: 45 },
  openai: { shape: 'hexagon', hue: 160 },
  gemini: { shape: 'diamond', hue: 265 },
  deepseek: { shape: 'wave', hue: 250 },
  moonshot: { shape: 'arc', hue: 290 },
  qwen: { shape: 'bars', hue: 300 },
  grok: { shape: 'ring', hue: 80 },
  meta: { shape: 'dots', hue: 240 },
  ollama: { shape: 'ring', hue: 120 },
  demo: { shape: 'dots', hue: 190 },
}

/** Mark of a model family. An unknown family gets a stable one. */
export function FamilyMark({ family = '' }: { family?: string | undefined }) {
  const { shape, hue } = families[family.toLowerCase()] ?? generatedMark(family)
  return (
    <svg className="family-mark" viewBox="0 0 24 24" style={{ ['--hue' as string]: hue }} aria-hidden>
      <rect width="24" height="24" rx="6.5" />
      {drawings[shape]}
    </svg>
  )
}

function generatedMark(family: string): { shape: Shape; hue: number } {
  let sum = 7
  for (const character of family) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 7919
  return { shape: shapes[sum % shapes.length] as Shape, hue: sum % 360 }
}

const drawings: Record<Shape, React.ReactNode> = {
  ring: <circle cx="12" cy="12" r="5" />,
  star: <path d="M12 6v12M6.8 9l10.4 6M17.2 9L6.8 15" />,
  diamond: <path d="M12 5.5L18.5 12 12 18.5 5.5 12z" />,
  wave: <path d="M5.5 13.5c2.2-5 4.3-5 6.5 0s4.3 5 6.5 0" />,
  bars: <path d="M7.5 10v4M12 6.5v11M16.5 9v6" />,
  dots: <path d="M8 8h.01M16 8h.01M8 16h.01M16 16h.01M12 12h.01" />,
  hexagon: <path d="M12 5.5l5.6 3.25v6.5L12 18.5l-5.6-3.25v-6.5z" />,
  arc: <path d="M15.5 6.5a6 6 0 1 0 0 11 7.2 7.2 0 0 1 0-11z" />,
}
