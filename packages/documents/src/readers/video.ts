import { aviFacts, mediaFacts } from '../media/media-facts.ts'
import { defineReader } from '../reader.ts'
import { checkParts } from '../text/parts.ts'

const title = 'a video file'

export default defineReader({
  title,
  extensions: ['mp4', 'm4v', 'mov', 'mkv', 'webm', 'avi', '3gp', 'wmv'],
  mediaTypes: ['video/mp4'],
  matches(head, { name }) {
    const start = head.toString('latin1', 0, 12)
    if (start.startsWith('0&²u\u008ef')) return !/\.wma$/i.test(name)
    if (/^RIFF....AVI /s.test(start) || start.startsWith('\u001aE\u00df\u00a3')) return true
    return /^....(ftyp(?!M4[AB]|heic|heix|mif1|msf1|avif|avis)|moov|mdat|wide|free)/s.test(start)
  },
  async read(source, part) {
    checkParts(part, title, [], 'It has facts only.')
    return (await aviFacts(source)) ?? mediaFacts(source)
  },
})
