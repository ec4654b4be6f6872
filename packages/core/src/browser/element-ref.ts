import { z } from 'zod'

/** A ref as outlines have it: `e12`, in frames `f1e3`. */
export const elementRef = z.string().regex(/^(f\d{1,4})?e\d{1,7}$/, 'a ref from the outline, such as e12')
