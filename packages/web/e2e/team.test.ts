import { createServer } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { axe, everyLook } from './testing/axe.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace, type TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'team (skipped: no Chromium)' : 'team'
const password = 'correct horse battery'

/** The address of team mode has its port, so it must be known before the start. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function fillAccount(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value)
}

describe.skipIf(chromium === undefined)(name, () => {
  let workspace: TestWorkspace
  let owner: Page
  let origin: string

  beforeAll(async () => {
    const port = await freePort()
    // Passkeys belong to a name, not to an IP address.
    origin = `http://localhost:${port}`
    workspace = await openWorkspace(chromium ?? '', {
      files: { 'notes.md': '# Notes' },
      server: {
        port,
        team: { publicUrl: origin, secretKey: 'a secret key for tests, long enough' },
        sandbox: { text: 'Tests confine nothing.' },
      },
    })
    owner = await workspace.newPage()
    await owner.addInitScript(axe)
  })
  afterAll(() => workspace?.close())

  test('the owner is created from the printed address, which leaves the address bar at once', async () => {
    await owner.goto(workspace.server().url)
    await owner.getByRole('heading', { name: 'Create the owner' }).waitFor()
    expect(owner.url()).toBe(`${origin}/#setup`)
    expect(await everyLook(owner)).toEqual([])
    // A reload keeps the form usable.
    await owner.reload()
    await fillAccount(owner, { Name: 'Olga Owens', Email: 'olga@team.example', Password: password })
    await owner.getByRole('button', { name: 'Create owner' }).click()
    await owner.getByRole('button', { name: 'Olga Owens Owner' }).waitFor()
    expect(await owner.evaluate(() => sessionStorage.getItem('troupe.link.setup'))).toBeNull()
  })

  test.runIf(full)('the owner signs out and in again', async () => {
    await owner.getByRole('button', { name: 'Olga Owens Owner' }).click()
    await owner.getByRole('menuitem', { name: 'Sign out' }).click()
    await owner.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await everyLook(owner)).toEqual([])
    await fillAccount(owner, { Email: 'olga@team.example', Password: 'not this one' })
    await owner.getByRole('button', { name: 'Sign in', exact: true }).click()
    await owner.getByRole('alert').getByText('Email or password is wrong.').waitFor()
    await owner.getByLabel('Password').fill(password)
    await owner.getByRole('button', { name: 'Sign in', exact: true }).click()
    await owner.getByRole('button', { name: 'Olga Owens Owner' }).waitFor()
  })

  test.runIf(full)('a passkey is added and signs in', async () => {
    const cdp = await owner.context().newCDPSession(owner)
    await cdp.send('WebAuthn.enable')
    await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await owner.goto(`${origin}/#settings/account`)
    await owner.reload()
    await owner.getByLabel('Passkey name').fill('Laptop')
    await owner.getByRole('button', { name: 'Add a passkey' }).click()
    await owner.getByRole('button', { name: 'Remove: Laptop' }).waitFor()
    await owner.keyboard.press('Escape')
    await owner.getByRole('button', { name: 'Olga Owens Owner' }).click()
    await owner.getByRole('menuitem', { name: 'Sign out' }).click()
    await owner.getByRole('button', { name: 'Use a passkey' }).click()
    await owner.getByRole('button', { name: 'Olga Owens Owner' }).waitFor()
    expect(await owner.getByRole('heading', { name: 'Sign in' }).count()).toBe(0)
  })

  test.runIf(full)('an invited person joins, sees a shared chat, and comments; a link shows it to anyone', async () => {
    const chat = chatPage(owner)
    await chat.ask('Hello')
    await owner.goto(`${owner.url()}&settings/members`)
    const settings = owner.getByRole('dialog')
    await settings.getByLabel('Email').fill('mia@team.example')
    await settings.getByRole('button', { name: 'Create invitation' }).click()
    const invitation = await settings.getByLabel('Invitation link').inputValue()
    expect(await everyLook(owner, 'dialog')).toEqual([])
    await owner.keyboard.press('Escape')

    const member = await workspace.newPage()
    await member.addInitScript(axe)
    await member.goto(invitation)
    await member.getByText('You are invited as mia@team.example. Your role: Member.').waitFor()
    expect(member.url()).toBe(`${origin}/#invite`)
    await fillAccount(member, { Name: 'Mia Meyer', Password: password })
    await member.getByRole('button', { name: 'Create account' }).click()
    await member.getByRole('button', { name: 'Mia Meyer Member' }).waitFor()

    await chat.option(/^Share/)
    const share = owner.getByRole('dialog', { name: 'Share chat' })
    await share.getByLabel('Person').selectOption({ label: 'Mia Meyer' })
    await share.getByRole('button', { name: 'Add' }).click()
    await share.getByLabel('Rights of Mia Meyer').waitFor()
    await share.getByRole('button', { name: 'Create link' }).click()
    const link = await share.getByLabel('Share link').inputValue()
    expect(await everyLook(owner, 'dialog')).toEqual([])
    await owner.keyboard.press('Escape')

    await member.reload()
    await member.getByText('Shared with me').click()
    await member.getByRole('button', { name: /Shared by Olga Owens/ }).click()
    await member.getByRole('article', { name: 'Answer' }).waitFor()
    await member.getByText('You can read this chat. Ask its owner for the right to write.').waitFor()
    await member.getByRole('button', { name: 'Comment' }).last().click()
    const field = member.getByRole('textbox', { name: /Add a comment/ })
    await field.pressSequentially('Good one, @ol')
    await member.getByRole('option', { name: 'Olga Owens' }).waitFor()
    await field.press('Enter')
    expect(await field.inputValue()).toBe('Good one, @Olga Owens ')
    await field.press('Enter')
    await member.getByRole('button', { name: '1 comment' }).first().waitFor()
    expect(await everyLook(member)).toEqual([])

    await owner.reload()
    await owner.getByRole('button', { name: /1 new mention/ }).click()
    await owner.getByRole('menuitem', { name: /Mentions/ }).click()
    await owner
      .getByRole('dialog', { name: 'Mentions' })
      .getByRole('button', { name: /Good one/ })
      .waitFor()
    await owner.keyboard.press('Escape')
    await owner.getByTitle('Also here: Mia Meyer').waitFor()

    const reader = await workspace.newPage()
    await reader.addInitScript(axe)
    await reader.goto(link)
    await reader.getByText('Shared chat, read-only').waitFor()
    await reader.getByRole('article', { name: 'Answer' }).waitFor()
    expect(reader.url()).toBe(`${origin}/#share`)
    expect(await reader.getByRole('textbox').count()).toBe(0)
    expect(await everyLook(reader)).toEqual([])

    await chat.option(/^Share/)
    await share.getByRole('button', { name: /^Revoke/ }).click()
    await expect.poll(() => share.getByRole('button', { name: /^Revoke/ }).count()).toBe(0)
    await owner.keyboard.press('Escape')
    await reader.reload()
    await reader.getByText('This link does not work.').waitFor()
  })

  test.runIf(full)('the settings of a team are usable at every size', async () => {
    for (const section of ['account', 'folder-access']) {
      await owner.goto(`${origin}/#settings/${section}`)
      await owner.reload()
      await owner.getByRole('dialog').getByRole('button').nth(3).waitFor()
      expect(await everyLook(owner, 'dialog')).toEqual([])
    }
  })
})
