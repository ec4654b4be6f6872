import { isRecord, numberIn, textIn } from '../displays/parts/read-fields.ts'

export interface Chart {
  option: unknown
  title?: string
  height?: number
}

/** A chart as ChartRender is given it: the option may be JSON in a text. Undefined where there is none yet. */
export function readChart(input: unknown): Chart | undefined {
  if (!isRecord(input)) return undefined
  const option = optionIn(input['option'])
  const [title, height] = [textIn(input['title']), numberIn(input['height'])]
  if (option === undefined) return undefined
  return {
    option,
    ...(title !== undefined && { title }),
    ...(height !== undefined && { height: Math.min(1000, Math.max(120, height)) }),
  }
}

function optionIn(given: unknown): unknown {
  if (isRecord(given)) return given
  if (typeof given !== 'string') return undefined
  try {
    return JSON.parse(given) as unknown
  } catch {
    return undefined
  }
}
