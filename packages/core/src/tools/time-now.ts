import { z } from 'zod'
import { defineTool } from '../tool/tool.ts'

export default defineTool({
  description:
    'Returns the current date and time. Give an IANA time zone such as "Asia/Tokyo" for another place. Default: the local time zone.',
  input: z.object({
    timezone: z.string().describe('IANA name, "UTC", or an offset such as "+02:00"').optional(),
  }),
  readOnly: true,
  deferred: true,
  group: 'system',
  title: ({ timezone }) => (timezone ? `Time in ${timezone}` : 'Current time'),
  permission: ({ timezone }) => ({
    title: 'Get the current time',
    summary: timezone ? `The current time in ${timezone}` : 'The current time on this machine',
  }),
  execute({ timezone }) {
    const now = new Date()
    const format = formatFor(timezone?.trim() ?? '')
    const field = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]))
    const offset = field['timeZoneName']?.replace('GMT', '') || '+00:00'
    const milliseconds = String(now.getMilliseconds()).padStart(3, '0')
    return {
      iso: `${field['year']}-${field['month']}-${field['day']}T${field['hour']}:${field['minute']}:${field['second']}.${milliseconds}${offset}`,
      unixMs: now.getTime(),
      timezone: format.resolvedOptions().timeZone,
      weekday: field['weekday'] ?? '',
    }
  },
  display: (output) => ({
    title: `Time in ${output.timezone}`,
    summary: `${output.weekday}, ${output.iso.slice(0, 16).replace('T', ' ')}`,
    content: output.iso,
  }),
})

function formatFor(timezone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: timezone || undefined,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      weekday: 'long',
      timeZoneName: 'longOffset',
    })
  } catch (error) {
    const meant = zonesLike(timezone)
    const hint =
      meant.length > 0
        ? `Did you mean ${meant.join(' or ')}? "UTC" and offsets such as "+02:00" work too`
        : 'Give an IANA name such as "Asia/Tokyo", "UTC", or an offset such as "+02:00"'
    throw new Error(`"${timezone}" is not a time zone. ${hint}; omit it to use the local time zone.`, { cause: error })
  }
}

/** Returns zones that end in the given words: "tokyo" finds "Asia/Tokyo". */
function zonesLike(text: string): string[] {
  const wanted = text.toLowerCase().replaceAll(' ', '_').split('/').at(-1)
  if (!wanted) return []
  return Intl.supportedValuesOf('timeZone').filter((zone) => zone.toLowerCase().split('/').at(-1) === wanted)
}
