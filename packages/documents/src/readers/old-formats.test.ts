import { expect, test } from 'vitest'
import { makeCompound } from '../testing/make-compound.ts'
import { madeDocuments } from '../testing/read-made.ts'

const read = madeDocuments()

/** A Word 97 document with this text in one piece of UTF-16. */
function makeDoc(text: string, flags = 0x200): Buffer {
  const words = Buffer.alloc(0x400 + text.length * 2)
  words.writeUInt16LE(0xa5ec, 0)
  words.writeUInt16LE(0xc1, 2)
  words.writeUInt16LE(flags, 0x0a)
  words.writeUInt32LE(text.length, 0x4c)
  words.write(text, 0x400, 'utf16le')
  const pieces = Buffer.alloc(21)
  pieces[0] = 2
  pieces.writeUInt32LE(16, 1)
  pieces.writeUInt32LE(text.length, 9)
  pieces.writeUInt32LE(0x400, 15)
  words.writeUInt32LE(pieces.length, 0x9a + 33 * 8 + 4)
  return makeCompound({ WordDocument: words, '1Table': pieces, 'Macros/VBA/Module1': Buffer.from('x') })
}

test('an old Word document has paragraphs, tables and links, and its macros are named', async () => {
  const link = '\u0013 HYPERLINK "https://example.com/" \u0014site\u0015'
  const answer = await read(
    'old.doc',
    makeDoc(`Größe 漢字\rSee ${link}\ra\u0007b\u0007\u0007c\u0007d\u0007\u0007end\r`),
  )
  expect(answer.text.split('\n')).toEqual([
    '[¶ 1] Größe 漢字',
    '[¶ 2] See [site](https://example.com/)',
    '[¶ 3]',
    '| a | b |',
    '|---|---|',
    '| c | d |',
    '[¶ 4] end',
  ])
  expect(answer.notes).toEqual(['The document has macros in Macros: Module1. They were not run.'])
})

test('encrypted and damaged documents say so', async () => {
  await expect(read('locked.doc', makeDoc('x', 0x300))).rejects.toThrow('is encrypted with a password')
  const wrapped = makeCompound({ EncryptedPackage: Buffer.alloc(10), EncryptionInfo: Buffer.alloc(10) })
  await expect(read('locked.docx', wrapped)).rejects.toThrow('locked.docx is encrypted with a password')
  const cut = makeDoc('text').subarray(0, 700)
  await expect(read('cut.doc', cut)).rejects.toThrow(/damaged|cannot be read|not a document/)
})

test('a chain of sectors that leads back to itself ends', async () => {
  const made = makeDoc('text\r')
  // The table of sectors is the last sector: let the first stream be a ring.
  made.writeUInt32LE(0, made.length - 512)
  await expect(
    read('ring.doc', made).then(
      () => 'read',
      () => 'refused',
    ),
  ).resolves.toMatch(/read|refused/)
})

test('rich text has code pages, Unicode, tables, notes, links and hidden text', async () => {
  const rtf = String.raw`{\rtf1\ansi\ansicpg1251{\fonttbl{\f0\fcharset204 Arial;}{\f1\fcharset128 MS Mincho;}}{\stylesheet{\s1 heading 1;}}{\info{\title Plan}}
\pard\s1 Title\par\pard\f0 \'cf\'f0\'e8 {\f1\'8a\'bf\'8e\'9a} \u8364?5 \u-10179?\u-8704?\par
{\*\unknown hidden destination}{\b bold} {\v secret}{\footnote note}\par
{\field{\*\fldinst HYPERLINK "https://example.com/"}{\fldrslt site}}\par
\trowd\cellx1\cellx2\pard\intbl a\cell b\cell\row\trowd\cellx1\clvmrg\cellx2\intbl c\cell\cell\row\pard end\par}`
  const answer = await read('plan.rtf', Buffer.from(rtf, 'latin1'))
  expect(answer.facts).toBe('6 paragraphs, "Plan", 1 table, 1 note')
  expect(answer.text.split('\n')).toEqual([
    '# [¶ 1] Title',
    '[¶ 2] При 漢字 €5 😀',
    '[¶ 3] **bold** [hidden: secret][^1]',
    '[^1]: note',
    '[¶ 4] [site](https://example.com/)',
    '[¶ 5]',
    '| a | b |',
    '|---|---|',
    '| c | ↑ |',
    '[¶ 6] end',
  ])
  await expect(read('deep.rtf', `{\\rtf1 ${'{'.repeat(20_000)}`)).rejects.toThrow('nested too deeply')
})
