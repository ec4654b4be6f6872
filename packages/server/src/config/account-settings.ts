import { z } from 'zod'

const text = z.string().min(1).max(4096)

/** Fields of `team` in config.json about access and accounts. */
export const accountFields = {
  enabled: z.boolean().optional().describe('serves a team, as "troupe serve --team" does'),
  publicUrl: text.optional().describe('the address that people open; TROUPE_PUBLIC_URL takes precedence'),
  databaseUrl: text.optional().describe('address of the Postgres database; TROUPE_DATABASE_URL takes precedence'),
  tls: z
    .strictObject({ cert: text, key: text })
    .optional()
    .describe('files with the certificate (PEM, with its chain) and its key'),
  trustedProxies: z
    .array(z.string().max(50))
    .max(100)
    .optional()
    .describe('addresses or ranges of proxies whose X-Forwarded-* headers count, such as "10.0.0.0/8"'),
  kmsCommand: z
    .array(text)
    .min(1)
    .max(50)
    .optional()
    .describe('a program that wraps and unwraps the keys of secrets, with its arguments'),
  providers: z
    .array(
      z.strictObject({
        id: z.string().regex(/^[a-z0-9-]{1,40}$/),
        name: z.string().max(100).optional().describe('shown on the sign-in page'),
        issuer: z.url().max(1000).describe('has /.well-known/openid-configuration'),
        clientId: text,
        clientSecret: text.optional(),
        clientSecretEnv: text.optional().describe('an environment variable with the secret'),
        domains: z
          .array(z.string().max(253))
          .max(100)
          .optional()
          .describe('people with a verified address of these domains may join without an invitation'),
      }),
    )
    .max(20)
    .optional()
    .describe('single sign-on with OpenID Connect. Callback: <public URL>/ai/account/callback/<id>'),
}
