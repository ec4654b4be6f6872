import { expect, test } from 'vitest'
import { button, click, eventually, field, render, type } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { CreateOwnerPage, JoinPage } from './create-account.tsx'
import { DevicePage } from './device.tsx'
import { SignInPage } from './sign-in.tsx'

const me = { needsOwner: false, providers: [{ id: 'acme', name: 'Acme' }] }
const refuse = (name: string, status: number) => () =>
  Response.json({ error: { name, message: 'refused' } }, { status })
const token = 'a'.repeat(43)

test('a wrong password is reported, and the code of the second factor completes the sign-in', async () => {
  const sent: unknown[] = []
  let done = 0
  const { view } = await render(<SignInPage me={me} onDone={() => done++} />, {
    answers: {
      'POST /ai/account/sign-in': (body) =>
        (body as { password: string }).password === 'right'
          ? { status: 'second-factor' }
          : refuse('SignInFailed', 401)(),
      'POST /ai/account/second-factor': (body) => {
        sent.push(body)
        return { status: 'signed-in' }
      },
    },
  })
  expect(button(t.team.signIn.provider('Acme'))).toBeDefined()
  await type(field(t.team.email), ' olga@team.example ')
  await type(field(t.team.password), 'wrong')
  await click(button(t.team.signIn.submit))
  await eventually(() => view.querySelector('[role=alert]')?.textContent === t.team.signIn.failed)
  await type(field(t.team.password), 'right')
  await click(button(t.team.signIn.submit))
  await eventually(() => view.textContent.includes(t.team.signIn.codeTitle))
  await type(field(t.team.signIn.code), '123 456')
  await click(button(t.team.signIn.submit))
  await eventually(() => done === 1)
  await click(button(t.team.signIn.useBackup))
  await type(field(t.team.signIn.backupCode), 'abcde-fghij')
  await click(button(t.team.signIn.submit))
  await eventually(() => done === 2)
  expect(sent).toEqual([
    { code: '123456', kind: 'totp' },
    { code: 'abcde-fghij', kind: 'backup' },
  ])
})

test('too many attempts are explained', async () => {
  const { view } = await render(<SignInPage me={me} />, {
    answers: { 'POST /ai/account/sign-in': refuse('TooManyRequests', 429) },
  })
  await type(field(t.team.email), 'olga@team.example')
  await type(field(t.team.password), 'x')
  await click(button(t.team.signIn.submit))
  await eventually(() => view.querySelector('[role=alert]') !== null)
  expect(view.querySelector('[role=alert]')?.textContent).toBe(t.team.signIn.tooMany)
})

test('a server without an owner says where to create one', async () => {
  const { view } = await render(<SignInPage me={{ ...me, needsOwner: true }} />)
  expect(view.textContent).toContain(t.team.signIn.noOwner)
  expect(view.querySelector('input')).toBeNull()
})

test('the owner is created with the token of the address', async () => {
  let sent: unknown
  let isDone = false
  await render(<CreateOwnerPage token={token} onDone={() => (isDone = true)} />, {
    answers: {
      'POST /ai/account/setup': (body) => {
        sent = body
        return { status: 'signed-in' }
      },
    },
  })
  await type(field(t.team.name), ' Olga ')
  await type(field(t.team.email), 'olga@team.example')
  await type(field(new RegExp(`^${t.team.password}`)), 'correct horse')
  await click(button(t.team.create.ownerSubmit))
  await eventually(() => isDone)
  expect(sent).toEqual({ token, name: 'Olga', email: 'olga@team.example', password: 'correct horse' })
})

test('an invitation shows its address and role; one that was used leads to sign-in', async () => {
  let isValid = true
  const answers = {
    'POST /ai/account/invitation': () =>
      isValid ? { email: 'mia@team.example', role: 'member', expiresAt: 1 } : refuse('LinkInvalid', 403)(),
  }
  const { view, draw } = await render(<JoinPage key="valid" token={token} onDone={() => undefined} />, { answers })
  await eventually(() => view.textContent.includes(t.team.create.inviteAbout('mia@team.example', t.team.roles.member)))
  isValid = false
  await draw(<JoinPage key="used" token={token} onDone={() => undefined} />)
  await eventually(() => view.textContent.includes(t.team.create.invalid))
  expect(button(t.team.create.toSignIn)).toBeDefined()
})

test('a device is connected only after its name was shown', async () => {
  const answered: unknown[] = []
  const { view } = await render(<DevicePage code="abcd-efgh" />, {
    answers: {
      'POST /ai/device/lookup': () => ({ name: 'troupe on laptop' }),
      'POST /ai/device/answer': (body) => {
        answered.push(body)
        return new Response(null, { status: 204 })
      },
    },
  })
  await click(button(t.team.device.next))
  await eventually(() => view.textContent.includes(t.team.device.asks('troupe on laptop')))
  expect(answered).toEqual([])
  await click(button(t.team.device.connect))
  await eventually(() => view.textContent.includes(t.team.device.connected))
  expect(answered).toEqual([{ userCode: 'ABCD-EFGH', approve: true }])
})
