import { mediaFacts } from '../media/media-facts.ts'
import { defineReader } from '../reader.ts'
import { checkParts } from '../text/parts.ts'

const title = 'an audio file'

export default defineReader({
  title,
  extensions: ['mp3', 'm4a', 'm4b', 'aac', 'wav', 'flac', 'ogg', 'oga', 'opus', 'aif', 'aiff', 'wma', 'ape'],
  mediaTypes: ['audio/mpeg'],
  matches(head, { name }) {
    const start = head.toString('latin1', 0, 12)
    if (/^(ID3|fLaC|OggS|FORM....AIF|RIFF....WAVE|MAC )/s.test(start) || /^....ftypM4[AB]/s.test(start)) return true
    // MPEG audio without tags starts with a frame, and Windows media with an identifier that video shares.
    const isFrame = head[0] === 0xff && (head[1]! & 0xe0) === 0xe0 && /\.(mp3|aac|mp2)$/i.test(name)
    return isFrame || (start.startsWith('0&²u\u008ef') && /\.wma$/i.test(name))
  },
  read(source, part) {
    checkParts(part, title, [], 'It has facts only.')
    return mediaFacts(source)
  },
})
