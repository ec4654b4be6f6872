import { expect, test } from 'vitest'
import { makeCompound } from '../testing/make-compound.ts'
import { madeDocuments } from '../testing/read-made.ts'

const read = madeDocuments()
const mail = (subject: string, body: string): string =>
  `From: Ann <ann@example.com>\nTo: bob@example.com\nSubject: ${subject}\nDate: Fri, 2 Jan 2026 10:00:00 +0000\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\n${body}\n--b\nContent-Type: application/pdf; name="plan.pdf"\nContent-Disposition: attachment; filename="plan.pdf"\nContent-Transfer-Encoding: base64\n\nAAAA\n--b--\n`

test('a message has its head, body and a list of attachments', async () => {
  const answer = await read('hello.eml', mail('=?utf-8?B?5ryi5a2X?=', 'Gr=FC=DFe\n\nAnn'))
  expect(answer.facts).toBe('4 paragraphs, 1 attachment')
  expect(answer.text.split('\n')).toEqual([
    '[¶ 1] From: Ann <ann@example.com>',
    'To: bob@example.com',
    'Date: 2026-01-02T10:00:00.000Z',
    'Subject: 漢字',
    '[¶ 2] Grüße',
    '[¶ 3] Ann',
    '[¶ 4] Attachments:',
    '- plan.pdf (application/pdf, 3 bytes)',
  ])
})

test('a mailbox is listed, and one message is read at a time', async () => {
  const box = [1, 2, 3]
    .map(
      (number) =>
        `From ann@example.com Fri Jan  2 10:00:00 2026\n${mail(`Mail ${number}`, `Body ${number}\n>From here on`)}\n`,
    )
    .join('')
  const list = await read('all.mbox', box, { limit: 2 })
  expect(list).toMatchObject({ facts: '3 messages', next: { offset: 3 } })
  expect(list.text.split('\n')[1]).toBe('[message 2] 2026-01-02T10:00:00.000Z | Ann <ann@example.com> | Mail 2')
  const one = await read('all.mbox', box, { pages: '2' })
  expect(one.text).toContain('## [message 2]')
  expect(one.text).toContain('Body 2\nFrom here on')
  await expect(read('all.mbox', box, { pages: '1-3' })).rejects.toThrow('Read one message at a time')
})

test('an Outlook message has people, a body and attachments', async () => {
  const wide = (text: string): Buffer => Buffer.from(text, 'utf16le')
  const message = makeCompound({
    '__properties_version1.0': Buffer.alloc(32),
    '__substg1.0_0037001F': wide('Plan'),
    '__substg1.0_0C1A001F': wide('Ann'),
    '__substg1.0_5D01001F': wide('ann@example.com'),
    '__substg1.0_1000001F': wide('Hello 漢字'),
    '__recip_version1.0_#00000000/__substg1.0_3001001F': wide('Bob'),
    '__recip_version1.0_#00000000/__substg1.0_39FE001F': wide('bob@example.com'),
    '__attach_version1.0_#00000000/__substg1.0_3707001F': wide('plan.pdf'),
    '__attach_version1.0_#00000000/__substg1.0_37010102': Buffer.alloc(100),
  })
  expect((await read('mail.msg', message)).text.split('\n')).toEqual([
    '[¶ 1] From: Ann <ann@example.com>',
    'To: Bob <bob@example.com>',
    'Subject: Plan',
    '[¶ 2] Hello 漢字',
    '[¶ 3] Attachments:',
    '- plan.pdf (100 bytes)',
  ])
})

test('events are in order of time, with recurrence in words', async () => {
  const event = (start: string, more: string): string => `BEGIN:VEVENT\r\nDTSTART${start}\r\n${more}\r\nEND:VEVENT\r\n`
  const calendar = `BEGIN:VCALENDAR\r\n${event(';TZID=Europe/Berlin:20260302T090000', 'SUMMARY:Stand\r\n up\\, daily\r\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;UNTIL=20261231T000000Z')}${event(';VALUE=DATE:20260101', 'DTEND;VALUE=DATE:20260102\r\nSUMMARY:New Year\r\nATTENDEE;CN=Ann;PARTSTAT=ACCEPTED:mailto:ann@example.com\r\nRRULE:FREQ=MONTHLY;BYDAY=-1FR')}END:VCALENDAR\r\n`
  const answer = await read('team.ics', calendar)
  expect(answer.text.split('\n')).toEqual([
    '[¶ 1] **New Year**, 2026-01-01 to 2026-01-02 (not included)',
    'Repeats every month on the last Friday',
    'Attendees: Ann <ann@example.com> (accepted)',
    '[¶ 2] **Standup, daily**, 2026-03-02 09:00 (Europe/Berlin)',
    'Repeats every 2 weeks on Monday and Wednesday until 2026-12-31',
  ])
})

test('contacts are listed', async () => {
  const card =
    'BEGIN:VCARD\nVERSION:3.0\nFN:Ann Lee\nORG:Acme;Sales\nTEL;TYPE=cell:+1 555\nADR;TYPE=home:;;Main St 1;Town;;123;Land\nitem1.EMAIL:ann@example.com\nEND:VCARD\n'
  const old = 'BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;Ann\nEND:VCARD\n'
  const answer = await read('people.vcf', card + old)
  expect(answer.text.split('\n')).toEqual([
    '[¶ 1] **Ann Lee**',
    'Organization: Acme, Sales',
    'Phone (cell): +1 555',
    'Address (home): Main St 1, Town, 123, Land',
    'Email: ann@example.com',
    '[¶ 2] **Müller, Ann**',
  ])
})
