import { afterAll, beforeEach, expect, test } from 'vitest'
import { addSections, useSections } from '../../settings/sections.ts'
import { type TeamPage, useTeam } from '../../state/team.tsx'
import { button, change, click, eventually, field, render, type } from '../../testing/render.tsx'
import { t } from '../../texts/t.ts'
import { expectedFocus } from '../../ui/focus.ts'
import { programOf } from './account-access.tsx'
import { Tokens } from './api-tokens.tsx'
import { AuditSection } from './audit-section.tsx'
import { BudgetsSection } from './budgets-section.tsx'
import { FoldersSection } from './folders-section.tsx'
import { MembersSection } from './members-section.tsx'
import { OperationsSection } from './operations-section.tsx'
import { OwnKeys } from './own-keys.tsx'
import { PolicySection } from './policy-section.tsx'
import { teamSections } from './sections.ts'
import { TwoFactor } from './two-factor.tsx'

const person = {
  id: 'p0',
  name: 'Olga',
  email: 'olga@team.example',
  role: 'owner' as 'owner' | 'admin' | 'member',
  secondFactor: false,
  hasPassword: true,
}
const signIn = (role: 'owner' | 'admin' | 'member') =>
  useTeam.setState({ page: { person: { ...person, role } } as TeamPage })

beforeEach(() => signIn('owner'))
afterAll(() => useTeam.setState({ page: null }))

const members = [
  { ...person, createdAt: 1 },
  { id: 'p1', name: 'Mia', email: 'mia@team.example', role: 'member', secondFactor: true, createdAt: 1 },
]

test('an invitation is made with a role, and its link is shown once', async () => {
  let invited: unknown
  await render(<MembersSection />, {
    answers: {
      'GET /ai/members': () => ({ members }),
      'GET /ai/invitations': () => ({ invitations: [] }),
      'POST /ai/invitations': (body) => {
        invited = body
        const invitation = { id: 'i1', email: 'noa@team.example', role: 'viewer', createdAt: 1, expiresAt: 2 }
        return Response.json({ invitation, url: 'https://team.example/#invite=x' }, { status: 201 })
      },
    },
  })
  await type(field(t.team.email), 'noa@team.example')
  await type(field(t.team.members.role), 'viewer')
  await click(button(t.team.members.submit))
  await eventually(() => document.querySelector('.team-once') !== null)
  expect(invited).toEqual({ email: 'noa@team.example', role: 'viewer' })
  expect(field(t.team.members.link).value).toBe('https://team.example/#invite=x')
})

test('an admin cannot change an owner, and a member changes nobody', async () => {
  signIn('admin')
  const answers = { 'GET /ai/members': () => ({ members }), 'GET /ai/invitations': () => ({ invitations: [] }) }
  const { view, draw } = await render(<MembersSection key="admin" />, { answers })
  await eventually(() => view.textContent.includes('Mia'))
  expect(view.querySelectorAll('.team-row select')).toHaveLength(1)
  expect(field(t.team.members.roleOf('Mia')).textContent).not.toContain(t.team.roles.owner)
  await change(() => signIn('member'))
  await draw(<MembersSection key="member" />)
  await eventually(() => view.querySelector('form') === null && view.textContent.includes('Mia'))
  expect(view.querySelector('select, button')).toBeNull()
})

test('a token has its scope and those below it, and is shown once', async () => {
  let made: unknown
  await render(<Tokens />, {
    answers: {
      'GET /ai/account/tokens': () => ({ tokens: [] }),
      'POST /ai/account/tokens': (body) => {
        made = body
        return Response.json({ token: {}, secret: 'trp_secret' }, { status: 201 })
      },
    },
  })
  await type(field(t.team.account.tokenName), 'CI')
  await type(field(t.team.account.scope), 'write')
  await type(field(t.team.account.expires), 'never')
  await click(button(t.team.account.createToken))
  await eventually(() => document.querySelector('.team-once') !== null)
  expect(made).toEqual({ name: 'CI', scopes: ['read', 'write'], expiresInDays: null })
  expect(field(t.team.account.tokens).value).toBe('trp_secret')
})

test('the authenticator app shows a QR code, and backup codes only after a right code', async () => {
  const { view } = await render(<TwoFactor />, {
    answers: {
      'POST /ai/account/totp': () => ({ uri: 'otpauth://totp/Troupe?secret=ABC234', backupCodes: ['one-two'] }),
      'POST /ai/account/totp/confirm': (body) =>
        (body as { code: string }).code === '123456'
          ? new Response(null, { status: 204 })
          : Response.json({ error: { name: 'WrongCode', message: 'no' } }, { status: 403 }),
    },
  })
  await click(button(t.team.account.setUp))
  await type(field(t.team.account.confirmPassword), 'x')
  await click(button(t.team.account.go))
  await eventually(() => view.querySelector('.team-qr path')?.getAttribute('d')?.startsWith('M') === true)
  expect(view.textContent).toContain('ABC234')
  expect(view.textContent).not.toContain('one-two')
  await type(field(t.team.account.enterCode), '000000')
  await click(button(t.team.account.confirm))
  await eventually(() => view.querySelector('[role=alert]')?.textContent === t.team.signIn.codeFailed)
  expect(view.textContent).not.toContain('one-two')
  // The focus goes back to where it began.
  await click(button(t.ui.cancel))
  expect(expectedFocus().element).toBe(button(t.team.account.setUp))
})

test('a grant of a folder is added, changed and removed', async () => {
  const sent: unknown[] = []
  const folder = { id: 'w1', name: 'site', path: '/srv/site' }
  let grants: object[] = []
  await render(<FoldersSection />, {
    answers: {
      'GET /ai/members': () => ({ members }),
      'GET /ai/workspaces': () => ({ workspaces: [folder], roots: [], sessionWorkspaceId: null }),
      'GET /ai/workspaces/w1/grants': () => ({ grants }),
      'PUT /ai/workspaces/w1/grants': (body) => {
        sent.push(body)
        const { right } = body as { right: string | null }
        grants = right === null ? [] : [{ subject: { personId: 'p1', name: 'Mia' }, right }]
        return { grants }
      },
    },
  })
  await eventually(() => document.querySelector('select') !== null)
  await type(field(t.team.folders.who), 'person:p1')
  await click(button(t.team.folders.add))
  await eventually(() => document.querySelector('.team-row') !== null)
  await type(field(t.team.folders.rightOf('Mia', 'site')), 'read')
  await click(button(`${t.team.folders.remove}: Mia, site`))
  await eventually(() => sent.length === 3)
  expect(sent).toEqual([
    { subject: { personId: 'p1' }, right: 'write' },
    { subject: { personId: 'p1' }, right: 'read' },
    { subject: { personId: 'p1' }, right: null },
  ])
})

test('the policy keeps what the form does not show, and a conflict shows the newer one', async () => {
  const sent: unknown[] = []
  let policy: object = { mode: 'plan', models: ['acme/*'] }
  let version = 3
  const { view } = await render(<PolicySection />, {
    answers: {
      'GET /ai/policy': () => ({ policy, version }),
      'PATCH /ai/policy': (body) => {
        sent.push(body)
        if ((body as { version: number }).version !== 3) return { policy: (body as { policy: object }).policy, version }
        policy = { deniedTools: ['Bash'] }
        version = 4
        return Response.json({ error: { name: 'PolicyChanged', message: 'changed' } }, { status: 409 })
      },
    },
  })
  await eventually(() => view.querySelector('textarea') !== null)
  await type(field(t.team.policy.lists.deniedHosts), 'evil.example\n\n other.example ')
  await click(field(t.modes.each.bypass.name))
  await click(button(t.ui.save))
  expect(sent[0]).toEqual({
    version: 3,
    policy: {
      mode: 'plan',
      models: ['acme/*'],
      deniedHosts: ['evil.example', 'other.example'],
      modes: ['default', 'accept-edits'],
    },
  })
  await eventually(() => field(t.team.policy.lists.deniedTools).value === 'Bash')
  expect(view.textContent).toContain(t.team.policy.changed)
})

test('a policy is previewed before it is saved', async () => {
  const calls = [
    { tool: 'Bash', input: '{"command":"curl x"}', before: 'allow', after: 'deny', reason: 'A rule.', count: 3 },
    { tool: 'Read', input: '{}', before: 'deny', after: 'ask', reason: 'A rule.', count: 1 },
  ]
  let previewed: unknown
  const { view } = await render(<PolicySection />, {
    answers: {
      'GET /ai/policy': () => ({ policy: {}, version: 0 }),
      'POST /ai/policy/preview': (body) => {
        previewed = body
        return { checked: 40, calls, models: ['acme/old'], mcpServers: [], modes: [{ mode: 'bypass', chats: 2 }] }
      },
    },
  })
  await eventually(() => view.querySelector('form') !== null)
  expect(button(t.team.preview.button).disabled).toBe(true)
  await type(field(t.team.policy.rules.deny), 'Bash(curl *)')
  await click(field(t.team.policy.ownKeys))
  await click(button(t.team.preview.button))
  await eventually(() => view.querySelector('.team-preview') !== null)
  expect(previewed).toEqual({ policy: { permissions: { allow: [], ask: [], deny: ['Bash(curl *)'] }, ownKeys: false } })
  for (const text of [t.team.preview.stricter, t.team.preview.looser, 'acme/old', 'curl x', t.team.preview.checked(40)])
    expect(view.textContent).toContain(text)
  // It is about what was previewed.
  await type(field(t.team.policy.rules.deny), 'Bash')
  expect(view.querySelector('.team-preview')).toBeNull()
})

test('people set and remove provider keys of their own, unless the policy forbids it', async () => {
  let providers: string[] = []
  let allowed = true
  let sent: unknown
  const keys = () => ({ allowed, providers, available: [{ id: 'acme', name: 'Acme', keyURL: 'https://acme.example' }] })
  const { view, draw } = await render(<OwnKeys key="one" />, {
    answers: {
      'GET /ai/me/keys': keys,
      'GET /ai/models': () => ({ models: [], openProviders: [] }),
      'POST /ai/me/keys': (body) => {
        sent = body
        providers = ['acme']
        return keys()
      },
      'DELETE /ai/me/keys/acme': () => {
        providers = []
        return keys()
      },
    },
  })
  await eventually(() => view.querySelector('form') !== null)
  await type(field(t.team.keys.key), ' sk-mine ')
  await click(button(t.team.keys.save))
  await eventually(() => view.querySelector('.team-row') !== null)
  expect(sent).toEqual({ provider: 'acme', apiKey: 'sk-mine' })
  expect([view.textContent.includes('sk-mine'), field(t.team.keys.key).value]).toEqual([false, ''])
  await click(button(`${t.team.account.remove}: Acme`))
  await eventually(() => view.querySelector('.team-row') === null)
  allowed = false
  await draw(<OwnKeys key="two" />)
  await eventually(() => view.textContent.includes(t.team.keys.forbidden))
  expect(view.querySelector('form')).toBeNull()
})

test('a role decides which settings there are', async () => {
  const idsFor = async (role: 'owner' | 'member' | 'viewer') => {
    await change(() => {
      useTeam.setState({ page: { person: { ...person, role } } as unknown as TeamPage })
      addSections(teamSections(role))
    })
    let found: string[] = []
    function Ids() {
      found = useSections().map(({ id }) => id)
      return null
    }
    await render(<Ids />)
    return found
  }
  const owner = await idsFor('owner')
  const member = await idsFor('member')
  const viewer = await idsFor('viewer')
  await change(() => addSections([]))
  for (const id of ['general', 'models', 'mcp', 'hooks', 'data', 'policy', 'audit']) expect(owner).toContain(id)
  for (const id of ['general', 'mcp', 'hooks', 'data', 'policy', 'audit']) expect(member).not.toContain(id)
  // Links to the providers lead members to their own keys.
  expect(member.filter((id) => id === 'models')).toHaveLength(1)
  for (const id of ['models', 'agents', 'rules']) expect(viewer).not.toContain(id)
  for (const ids of [owner, member, viewer]) expect(ids).toContain('account')
})

test('a limit of a person is added; an empty field removes a limit', async () => {
  let sent: unknown
  await render(<BudgetsSection />, {
    answers: {
      'GET /ai/limits': () => ({ limits: { people: { default: { day: 5 } } }, version: 1 }),
      'PATCH /ai/limits': (body) => {
        sent = body
        return { ...(body as object), version: 2 }
      },
      'GET /ai/usage': () => ({ people: [{ person: 'p1', cost: 2, inputTokens: 10, outputTokens: 5 }] }),
      'GET /ai/members': () => ({ members }),
      'GET /ai/workspaces': () => ({ workspaces: [], roots: [], sessionWorkspaceId: null }),
    },
  })
  await eventually(() => document.querySelector('table') !== null)
  await type(field(t.team.budgets.fields.day), '')
  await type(field(`${t.team.budgets.add} ${t.team.budgets.scopes.people}`), 'p1')
  await click(button(`${t.team.budgets.addButton}: ${t.team.budgets.scopes.people}`))
  const own = document.querySelector('[role=group][aria-label=Mia] input')
  await type(own as HTMLInputElement, '2.5')
  await click(button(t.ui.save))
  await eventually(() => sent !== undefined)
  expect(sent).toEqual({ limits: { people: { default: {}, byId: { p1: { day: 2.5 } } } } })
})

test('the audit log searches and loads older entries', async () => {
  const entry = (id: string) => ({
    id,
    at: 1,
    actor: { id: 'p1', name: 'Mia' },
    action: 'policy.change',
    target: null,
    outcome: 'denied',
    detail: {},
    requestId: null,
    address: null,
  })
  const { view } = await render(<AuditSection />, {
    answers: {
      'GET /ai/audit': (_, query) => {
        if (query.get('before') === '9') return { entries: [entry('b')], next: null }
        return query.get('text') === 'none' ? { entries: [], next: null } : { entries: [entry('a')], next: '9' }
      },
    },
  })
  await eventually(() => view.querySelectorAll('tbody tr').length === 1)
  await click(button(t.team.audit.more))
  await eventually(() => view.querySelectorAll('tbody tr').length === 2)
  await type(field(t.team.audit.search), 'none')
  await eventually(() => view.textContent.includes(t.team.audit.none))
  const exported = [...view.querySelectorAll('a')].map((link) => link.getAttribute('href'))
  expect(exported).toEqual(['/ai/audit/export?text=none&format=csv', '/ai/audit/export?text=none&format=jsonl'])
})

test('operations list nodes and errors', async () => {
  const { view } = await render(<OperationsSection />, {
    answers: {
      'GET /ai/admin/overview': () => ({
        versions: { troupe: '0.1.0', node: '24' },
        nodes: [{ id: 'n1', version: '0.1.0', startedAt: 1, draining: true, labels: ['gpu'] }],
        queueDepth: 3,
        runs: [],
        slowQueries: [],
        errors: [{ at: 1, message: 'It broke', detail: {} }],
      }),
    },
  })
  await eventually(() => view.textContent.includes('It broke'))
  expect(view.textContent).toContain(t.team.operations.draining)
  expect(view.textContent).toContain(t.team.operations.noRuns)
})

test('browsers are named by program and system', () => {
  const edge = 'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537 Chrome/140 Safari/537 Edg/140'
  expect(programOf({ kind: 'browser', userAgent: edge })).toBe('Edge · Windows')
  expect(programOf({ kind: 'device', userAgent: 'troupe/1' })).toBe('troupe/1')
  expect(programOf({ kind: 'browser', userAgent: null })).toBe(t.team.account.unknownBrowser)
})
