import { z } from 'zod'
import { idSchema } from '../ids.ts'
import { endpoints } from '../http/endpoint.ts'
import {
  emailSchema,
  linkTokenSchema,
  nameSchema,
  passwordSchema,
  personSchema,
  roleSchema,
  scopeSchema,
} from './people.ts'

/** The WebAuthn options or response of the browser, as JSON. */
const webAuthnSchema = z.record(z.string(), z.unknown())

const signedInSchema = z.object({
  status: z
    .enum(['signed-in', 'second-factor'])
    .describe('second-factor: send the code of the authenticator app to POST /ai/account/second-factor'),
})

const meSchema = z.object({
  mode: z.enum(['local', 'team']).describe('local: one user, no accounts'),
  needsOwner: z.boolean().describe('nobody has used the first address yet'),
  person: personSchema
    .extend({
      secondFactor: z.boolean().describe('sign-in needs a code'),
      hasPassword: z.boolean(),
    })
    .nullable()
    .describe('null if nobody is signed in'),
  linkId: z.string().nullable().describe('?as= of signed addresses'),
  linkKey: z.string().nullable().describe('signs addresses that the browser requests itself: images and downloads'),
  providers: z.array(z.object({ id: z.string(), name: z.string() })).describe('single sign-on'),
})
export type Me = z.infer<typeof meSchema>

export const meEndpoints = endpoints({
  'GET /ai/me': {
    access: { on: 'open' },
    summary: 'Says whether there are accounts, who is signed in, and how to sign in.',
    answers: { 200: meSchema },
  },
})

/** Sign-in. Each answers with a session cookie. */
export const signInEndpoints = endpoints({
  'POST /ai/account/setup': {
    access: { on: 'open' },
    team: true,
    summary: 'Creates the owner, with the token of the address that the first start prints. It works once.',
    body: z.strictObject({ token: linkTokenSchema, name: nameSchema, email: emailSchema, password: passwordSchema }),
    bodyLimit: 8192,
    answers: { 200: signedInSchema, 403: 'LinkInvalid', 429: 'TooManyRequests' },
  },
  'POST /ai/account/sign-in': {
    access: { on: 'open' },
    team: true,
    summary: 'Signs in with e-mail and password.',
    body: z.strictObject({ email: z.string().max(254), password: z.string().max(200) }),
    bodyLimit: 8192,
    answers: { 200: signedInSchema, 401: 'SignInFailed', 429: 'TooManyRequests' },
  },
  'POST /ai/account/second-factor': {
    access: { on: 'open' },
    team: true,
    summary: 'Completes a sign-in with a code of the authenticator app, or with a backup code.',
    body: z.strictObject({ code: z.string().max(40), kind: z.enum(['totp', 'backup']).default('totp') }),
    bodyLimit: 8192,
    answers: { 200: signedInSchema, 401: 'SignInFailed', 429: 'TooManyRequests' },
  },
  'POST /ai/account/passkey-options': {
    access: { on: 'open' },
    team: true,
    summary: 'Returns WebAuthn options to sign in with a passkey.',
    answers: { 200: z.object({ options: webAuthnSchema }), 429: 'TooManyRequests' },
  },
  'POST /ai/account/passkey': {
    access: { on: 'open' },
    team: true,
    summary: 'Signs in with a passkey.',
    body: z.strictObject({ response: webAuthnSchema }),
    bodyLimit: 65_536,
    answers: { 200: signedInSchema, 401: 'SignInFailed', 429: 'TooManyRequests' },
  },
  'POST /ai/account/provider': {
    access: { on: 'open' },
    team: true,
    summary: 'Starts single sign-on. The browser then opens the returned address.',
    body: z.strictObject({ provider: z.string().max(64) }),
    bodyLimit: 8192,
    answers: {
      200: z.object({ url: z.string() }),
      404: 'ProviderNotFound',
      429: 'TooManyRequests',
      503: 'ProviderUnavailable',
    },
  },
  'GET /ai/account/callback/:provider': {
    access: { on: 'open' },
    team: true,
    summary: 'Receives the browser after single sign-on, and sends it to the page.',
    query: z.looseObject({ code: z.string().max(4096).optional(), state: z.string().max(4096).optional() }),
    gives: ['bytes'],
    answers: { 302: 'to the page; a refusal is in its fragment', 429: 'TooManyRequests' },
  },
  'POST /ai/account/invitation': {
    access: { on: 'open' },
    team: true,
    summary: 'Shows the invitation of a link.',
    body: z.strictObject({ token: linkTokenSchema }),
    bodyLimit: 8192,
    answers: {
      200: z.object({ email: z.string(), role: roleSchema, expiresAt: z.number() }),
      403: 'LinkInvalid',
      429: 'TooManyRequests',
    },
  },
  'POST /ai/account/join': {
    access: { on: 'open' },
    team: true,
    summary: 'Accepts an invitation: creates the account of its e-mail address. A link works once.',
    body: z.strictObject({ token: linkTokenSchema, name: nameSchema, password: passwordSchema }),
    bodyLimit: 8192,
    answers: { 200: signedInSchema, 403: 'LinkInvalid', 409: 'PersonExists', 429: 'TooManyRequests' },
  },
  'POST /ai/account/sign-out': {
    access: { on: 'self', right: 'read' },
    team: true,
    summary: 'Ends the session of the caller.',
    answers: { 204: 'ended' },
  },
})

/** Sign-in of a program or a phone: it shows a code, and a signed-in person confirms it. */
export const deviceEndpoints = endpoints({
  'POST /ai/device': {
    access: { on: 'open' },
    team: true,
    summary: 'Starts the sign-in of a device. It shows the code or the address, also as a QR code.',
    body: z.strictObject({ name: z.string().trim().max(100).optional().describe('shown to the person') }),
    bodyLimit: 8192,
    answers: {
      200: z.object({
        deviceCode: z.string().describe('secret; for POST /ai/device/token'),
        userCode: z.string(),
        url: z.string().describe('the page that takes the code'),
        urlWithCode: z.string().describe('the same with the code in its fragment: the content of a QR code'),
        expiresAt: z.number(),
        interval: z.number().describe('seconds between two calls of POST /ai/device/token'),
      }),
      429: 'TooManyRequests',
    },
  },
  'POST /ai/device/token': {
    access: { on: 'open' },
    team: true,
    summary: 'Returns the token once a person has confirmed the code. Sent as Authorization: Bearer.',
    body: z.strictObject({ deviceCode: z.string().min(1).max(200) }),
    bodyLimit: 8192,
    answers: {
      200: z.object({ token: z.string() }),
      202: z.object({ status: z.enum(['pending', 'slow-down']) }),
      403: 'DeviceDenied, DeviceExpired',
      429: 'TooManyRequests',
    },
  },
  'POST /ai/device/lookup': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary: 'Shows which device asks with this code.',
    body: z.strictObject({ userCode: z.string().max(20) }),
    bodyLimit: 8192,
    answers: { 200: z.object({ name: z.string() }), 404: 'DeviceNotFound', 429: 'TooManyRequests' },
  },
  'POST /ai/device/answer': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary: 'Confirms or refuses the sign-in of a device.',
    body: z.strictObject({ userCode: z.string().max(20), approve: z.boolean() }),
    bodyLimit: 8192,
    answers: { 204: 'done', 404: 'DeviceNotFound' },
  },
})

const accountSessionSchema = z.object({
  id: z.string(),
  current: z.boolean(),
  kind: z.enum(['browser', 'device']),
  userAgent: z.string().nullable(),
  address: z.string().nullable(),
  createdAt: z.number(),
  expiresAt: z.number(),
})
export type AccountSession = z.infer<typeof accountSessionSchema>

const tokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  start: z.string().describe('its first characters'),
  scopes: z.array(scopeSchema),
  createdAt: z.number(),
  expiresAt: z.number().nullable(),
  usedAt: z.number().nullable(),
})
export type ApiToken = z.infer<typeof tokenSchema>

const passkeySchema = z.object({ id: z.string(), name: z.string(), createdAt: z.number().nullable() })

const password = z.strictObject({ password: z.string().max(200) })

/** The caller's own account. */
export const accountEndpoints = endpoints({
  'PATCH /ai/account': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary: 'Changes the name of the caller.',
    body: z.strictObject({ name: nameSchema }),
    answers: { 200: z.object({ person: personSchema }) },
  },
  'POST /ai/account/password': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary: 'Changes the password, and ends all other sessions.',
    body: z.strictObject({ current: z.string().max(200), next: passwordSchema }),
    bodyLimit: 8192,
    answers: { 204: 'changed', 403: 'WrongPassword', 429: 'TooManyRequests' },
  },
  'POST /ai/account/providers': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary:
      'Starts to connect the account with single sign-on. The provider must confirm the same e-mail address. Accounts are never connected by themselves.',
    body: z.strictObject({ provider: z.string().max(64) }),
    answers: { 200: z.object({ url: z.string() }), 404: 'ProviderNotFound', 503: 'ProviderUnavailable' },
  },
  'POST /ai/account/totp': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary: 'Starts to set up an authenticator app. It counts once a code was confirmed.',
    body: password,
    bodyLimit: 8192,
    answers: {
      200: z.object({
        uri: z.string().describe('otpauth:// address, for a QR code'),
        backupCodes: z.array(z.string()).describe('each replaces a code once'),
      }),
      403: 'WrongPassword',
      429: 'TooManyRequests',
    },
  },
  'POST /ai/account/totp/confirm': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary: 'Confirms the authenticator app with one of its codes.',
    body: z.strictObject({ code: z.string().max(10) }),
    bodyLimit: 8192,
    answers: { 204: 'confirmed', 403: 'WrongCode', 429: 'TooManyRequests' },
  },
  'POST /ai/account/totp/remove': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary: 'Removes the authenticator app.',
    body: password,
    bodyLimit: 8192,
    answers: { 204: 'removed', 403: 'WrongPassword', 429: 'TooManyRequests' },
  },
  'POST /ai/account/backup-codes': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary: 'Replaces the backup codes.',
    body: password,
    bodyLimit: 8192,
    answers: {
      200: z.object({ backupCodes: z.array(z.string()) }),
      403: 'WrongPassword',
      429: 'TooManyRequests',
    },
  },
  'GET /ai/account/passkeys': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary: 'Lists the passkeys of the caller.',
    answers: { 200: z.object({ passkeys: z.array(passkeySchema) }) },
  },
  'POST /ai/account/passkeys/options': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary: 'Returns WebAuthn options to add a passkey.',
    answers: { 200: z.object({ options: webAuthnSchema }), 403: 'SignInAgain' },
  },
  'POST /ai/account/passkeys': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary: 'Adds the passkey that the browser created.',
    body: z.strictObject({ name: nameSchema, response: webAuthnSchema }),
    bodyLimit: 65_536,
    answers: { 201: z.object({ passkey: passkeySchema }), 403: 'PasskeyRefused, SignInAgain' },
  },
  'DELETE /ai/account/passkeys/:id': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary: 'Removes a passkey of the caller.',
    answers: { 200: z.object({ deleted: idSchema }), 404: 'PasskeyNotFound' },
  },
  'GET /ai/account/sessions': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary: 'Lists the browsers and devices in which the caller is signed in.',
    answers: { 200: z.object({ sessions: z.array(accountSessionSchema) }) },
  },
  'DELETE /ai/account/sessions/:id': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary: 'Ends a session of the caller. "others" ends all but the current one.',
    answers: { 200: z.object({ ended: z.number() }), 404: 'AccountSessionNotFound' },
  },
  'GET /ai/account/tokens': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary: 'Lists the API tokens of the caller.',
    answers: { 200: z.object({ tokens: z.array(tokenSchema) }) },
  },
  'POST /ai/account/tokens': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary: 'Creates an API token. It is shown once, and sent as Authorization: Bearer.',
    body: z.strictObject({
      name: nameSchema,
      scopes: z.array(scopeSchema).min(1).max(3),
      expiresInDays: z.int().min(1).max(366).nullable().default(90),
    }),
    answers: { 201: z.object({ token: tokenSchema, secret: z.string() }), 403: 'Forbidden' },
  },
  'DELETE /ai/account/tokens/:id': {
    access: { on: 'self', right: 'manage' },
    team: true,
    summary: 'Deletes an API token of the caller.',
    answers: { 200: z.object({ deleted: idSchema }), 404: 'TokenNotFound' },
  },
})
