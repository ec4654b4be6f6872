import { z } from 'zod'

/** Roles in the organization, strongest first. */
export const roles = ['owner', 'admin', 'member', 'viewer'] as const
export const roleSchema = z.enum(roles)
export type Role = z.infer<typeof roleSchema>

/** Scope of a token: read, also write, also manage the organization. A token never exceeds its person's rights. */
export const scopeSchema = z.enum(['read', 'write', 'admin'])
export type Scope = z.infer<typeof scopeSchema>

export const personSchema = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  role: roleSchema,
})
export type PersonInfo = z.infer<typeof personSchema>

/** A person as other members see them in lists and chats. */
export const personNameSchema = z.object({ id: z.string(), name: z.string() })

export const emailSchema = z.email().max(254).toLowerCase()
export const passwordSchema = z.string().min(10).max(200)
export const nameSchema = z.string().trim().min(1).max(100)
/** The random part of a link: 32 bytes. */
export const linkTokenSchema = z.string().regex(/^[\w-]{43}$/, 'the token of a link')
