import { z } from 'zod'

/** Settings of a model as they come over the wire, from files and from the database; see `ParamValues`. */
export const paramValuesSchema = z.record(
  z.string().max(64),
  z.union([z.number(), z.boolean(), z.string().max(1000), z.array(z.string().max(1000)).max(100)]),
)
