import type { DocumentSource } from '../reader.ts'

export interface MailboxMessage {
  /** Place in the file, without the line that separates messages. */
  start: number
  end: number
}

const chunkBytes = 2 ** 20
const maxMessages = 200_000

/** Finds the messages of a mailbox, each after a line that starts with `From `, in pieces. */
export async function splitMailbox(source: DocumentSource): Promise<MailboxMessage[]> {
  const lines: { from: number; to: number }[] = []
  const mark = Buffer.from('\nFrom ')
  for (let at = 0; at < source.size && lines.length < maxMessages; at += chunkBytes) {
    // A line may be cut by the end of a piece, so pieces overlap.
    const piece = await source.bytesAt(at, chunkBytes + 1000)
    if (at === 0 && piece.toString('latin1', 0, 5) === 'From ') lines.push({ from: 0, to: lineEnd(piece, 0) })
    for (let found = piece.indexOf(mark); found !== -1 && found < chunkBytes; found = piece.indexOf(mark, found + 1)) {
      const end = lineEnd(piece, found + 1)
      const line = piece.toString('latin1', found + 1, Math.min(end, found + 1000))
      // `From ` starts sentences, too. The line between messages has a date.
      if (/\d\d:\d\d|\b\d{4}\b/.test(line) || /^From (-|\S+@\S+)/.test(line))
        lines.push({ from: at + found + 1, to: at + end })
    }
  }
  return lines.map(({ to }, index) => ({ start: to, end: lines[index + 1]?.from ?? source.size }))
}

function lineEnd(piece: Buffer, from: number): number {
  const end = piece.indexOf(10, from)
  return end === -1 ? piece.length : end + 1
}
