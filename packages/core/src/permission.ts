/** Permission decisions. */
export { decide } from './permission/decide.ts'
export { createPolicy } from './permission/policy.ts'
