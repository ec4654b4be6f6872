/**
 * Additions to the default theme of the class set: `dark:` follows the workspace's theme, and the color names of common
 * component libraries exist.
 */
export const pageTheme = `@custom-variant dark (&:where(.dark, .dark *));
@theme {
  --color-background: #ffffff; --color-foreground: #1c1917;
  --color-card: #ffffff; --color-card-foreground: #1c1917;
  --color-popover: #ffffff; --color-popover-foreground: #1c1917;
  --color-primary: #1d6758; --color-primary-foreground: #ffffff;
  --color-secondary: #f5f5f4; --color-secondary-foreground: #1c1917;
  --color-muted: #f5f5f4; --color-muted-foreground: #6b6660;
  --color-accent: #f0efec; --color-accent-foreground: #1c1917;
  --color-destructive: #b3261e; --color-destructive-foreground: #ffffff;
  --color-border: #e0ddd8; --color-input: #d6d3ce; --color-ring: #1d6758;
}`
