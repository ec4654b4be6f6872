import { beforeEach, expect, test } from 'vitest'
import type { StoredMessage } from '@troupe/protocol'
import { UserMessage } from '../chat/messages/user-message.tsx'
import { type TeamPage, useTeam } from '../state/team.tsx'
import { button, change, click, eventually, field, named, press, render, type } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { CommentForm } from './comment-form.tsx'
import { mentionAt, mentionedIn } from './mention.ts'
import { MessageAuthor } from './message-author.tsx'
import { MentionsDialog } from './mentions-dialog.tsx'
import { SharedChatPage } from './shared-chat.tsx'
import { SharePeople } from './share-people.tsx'

const people = [
  { id: 'p1', name: 'Ann', email: null, role: 'member', secondFactor: false, createdAt: 1 },
  { id: 'p2', name: 'Ann Lee', email: null, role: 'member', secondFactor: false, createdAt: 1 },
  { id: 'p3', name: 'Vic', email: null, role: 'viewer', secondFactor: false, createdAt: 1 },
]

const Nothing = () => null

beforeEach(() => {
  HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) {
    this.open = true
  }
  useTeam.setState({ page: null, readOnly: {} })
})

test('a chat is shared with a person, and its right changes and ends', async () => {
  let shares: { person: { id: string; name: string }; right: string }[] = []
  const sent: unknown[] = []
  const sharing = () => ({
    sharing: { owner: { id: 'p0', name: 'Olga' }, visibility: 'private', shares, links: [], own: 'manage' },
  })
  await render(<SharePeople sessionId="s1" />, {
    answers: {
      'GET /ai/members': () => ({ members: people }),
      'GET /ai/sessions/s1/sharing': sharing,
      'PUT /ai/sessions/s1/shares': (body) => {
        sent.push(body)
        const { personId, right } = body as { personId: string; right: string | null }
        shares = right === null ? [] : [{ person: { id: personId, name: 'Ann' }, right }]
        return sharing()
      },
    },
  })
  await eventually(() => document.querySelector('select') !== null)
  // Viewers never write.
  await type(field(t.team.share.person), 'p3')
  expect(field(t.team.folders.right).textContent).not.toContain(t.team.share.rights.write)
  await type(field(t.team.share.person), 'p1')
  await click(button(t.team.share.add))
  await eventually(() => document.body.textContent.includes('Ann'))
  await type(field(t.team.share.rightOf('Ann')), 'approve')
  await click(button(`${t.team.share.remove}: Ann`))
  await eventually(() => sent.length === 3)
  expect(sent).toEqual([
    { personId: 'p1', right: 'comment' },
    { personId: 'p1', right: 'approve' },
    { personId: 'p1', right: null },
  ])
})

test('messages name their authors once somebody else wrote in the chat', async () => {
  const page = {
    person: { id: 'p1', role: 'member' },
    parts: { MessageAuthor, CommentButton: Nothing, CommentThread: Nothing },
  } as unknown
  useTeam.setState({ page: page as TeamPage })
  const [mine, theirs] = [
    { id: 'p1', name: 'Ann' },
    { id: 'p2', name: 'Ann Lee' },
  ].map((author) => ({
    id: `m-${author.id}`,
    role: 'user' as const,
    parentMessageId: null,
    createdAt: 1,
    parts: [{ type: 'text' as const, text: `Hello from ${author.id}` }],
    metadata: { author },
  })) as [StoredMessage, StoredMessage]
  const alone = await render(<UserMessage message={mine} place={undefined} />, { chat: { messages: [mine] } })
  expect(alone.view.querySelector('.message-author')).toBeNull()
  const shared = await render(<UserMessage message={theirs} place={undefined} />, {
    chat: { messages: [mine, theirs] },
  })
  expect(shared.view.querySelector('.message-author')?.textContent).toBe('ALAnn Lee')
  expect(shared.view.querySelector('article')?.getAttribute('aria-label')).toBe('Ann Lee')
})

test('a new link is shown once and can be revoked', async () => {
  let links = [] as object[]
  const { requests } = await render(<SharePeople sessionId="s1" />, {
    answers: {
      'GET /ai/members': () => ({ members: [] }),
      'GET /ai/sessions/s1/sharing': () => ({
        sharing: { owner: null, visibility: 'workspace', shares: [], links, own: 'manage' },
      }),
      'POST /ai/sessions/s1/links': (body) => {
        expect(body).toEqual({ expiresInDays: 7 })
        links = [{ id: 'l1', createdBy: { id: 'p0', name: 'Olga' }, createdAt: 1, expiresAt: 2 }]
        return Response.json({ link: links[0], url: 'https://team.example/#share=x' }, { status: 201 })
      },
      'DELETE /ai/sessions/s1/links/l1': () => {
        links = []
        return { deleted: 'l1' }
      },
    },
  })
  await eventually(() => document.querySelector('select') !== null)
  await type(field(t.team.share.expires), '7')
  await click(button(t.team.share.create))
  await eventually(() => document.querySelector('.team-once') !== null)
  expect(field(t.team.share.link).value).toBe('https://team.example/#share=x')
  await click(button(/^Revoke/))
  await eventually(() => document.querySelector('.team-once') === null)
  expect(requests).toContain('DELETE /ai/sessions/s1/links/l1')
})

test('people who do not manage a chat see who has it, and change nothing', async () => {
  const { view } = await render(<SharePeople sessionId="s1" />, {
    answers: {
      'GET /ai/members': () => ({ members: people }),
      'GET /ai/sessions/s1/sharing': () => ({
        sharing: {
          owner: { id: 'p0', name: 'Olga' },
          visibility: 'private',
          shares: [{ person: people[0], right: 'read' }],
          links: [],
          own: 'read',
        },
      }),
    },
  })
  await eventually(() => view.textContent.includes('Ann'))
  expect(view.textContent).toContain(t.team.share.rights.read)
  expect(view.querySelectorAll('button, select, input')).toHaveLength(0)
})

test('a mention is completed with keys and sent with the id of the person', async () => {
  const sent: unknown[] = []
  await render(<CommentForm sessionId="s1" messageId="m1" />, {
    answers: {
      'GET /ai/members': () => ({ members: people }),
      'POST /ai/sessions/s1/comments': (body) => {
        sent.push(body)
        return Response.json({ comment: {} }, { status: 201 })
      },
      'GET /ai/sessions/s1/comments': () => ({ comments: [] }),
    },
  })
  const box = field(t.team.comments.field) as HTMLTextAreaElement
  await change(() => undefined)
  await type(box, 'See @an')
  await change(() => {
    box.setSelectionRange(7, 7)
    box.dispatchEvent(new Event('select', { bubbles: true }))
  })
  await eventually(() => document.querySelectorAll('[role=option]').length === 2)
  await press(box, 'ArrowDown')
  expect(named('[role=option][aria-selected=true]', /Ann Lee/)).toBeDefined()
  await press(box, 'Enter')
  expect(box.value).toBe('See @Ann Lee ')
  await click(button(t.team.comments.send))
  await eventually(() => sent.length === 1)
  expect(sent).toEqual([{ messageId: 'm1', text: 'See @Ann Lee', mentions: ['p2'] }])
})

test('a mention starts after a space and ends with the next one', () => {
  expect(mentionAt('hi @an', 6)).toEqual({ from: 3, word: 'an' })
  expect(mentionAt('@', 1)).toEqual({ from: 0, word: '' })
  expect(mentionAt('mail@an', 7)).toBeNull()
  expect(mentionAt('@an now', 7)).toBeNull()
  expect(mentionAt('你好，@安', 5)).toEqual({ from: 3, word: '安' })
})

test('of two names with the same beginning, the longer one is mentioned', () => {
  expect(mentionedIn('@Ann Lee', people).map(({ id }) => id)).toEqual(['p2'])
  expect(mentionedIn('@ann and @Ann Lee', people).map(({ id }) => id)).toEqual(['p2', 'p1'])
  expect(mentionedIn('ann', people)).toEqual([])
})

test('mentions are listed and marked as seen', async () => {
  const { requests } = await render(<MentionsDialog onClose={() => undefined} />, {
    answers: {
      'GET /ai/mentions': () => ({
        mentions: [
          {
            id: 'c1',
            sessionId: 's1',
            messageId: 'm1',
            author: null,
            text: 'Look at this',
            mentions: [],
            createdAt: 1,
            sessionTitle: 'Trip',
            seen: false,
          },
        ],
      }),
      'POST /ai/mentions/seen': () => new Response(null, { status: 204 }),
    },
  })
  await eventually(() => document.body.textContent.includes('Look at this'))
  expect(document.body.textContent).toContain(t.team.formerMember)
  await eventually(() => requests.includes('POST /ai/mentions/seen'))
})

test('a share link that was revoked says so', async () => {
  const { view } = await render(<SharedChatPage token="x" />, {
    answers: {
      'POST /ai/share': () => Response.json({ error: { name: 'LinkInvalid', message: 'no' } }, { status: 403 }),
    },
  })
  await eventually(() => view.textContent.includes(t.team.shared.gone))
  expect(view.textContent).toContain(t.team.shared.ask)
})
