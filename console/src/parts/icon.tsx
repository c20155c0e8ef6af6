/** Line icons on a grid of 16, drawn by hand: one path each. */
const paths = {
  overview: "M2.5 9.5l3-3 2.5 2.5 5.5-5.5M10 3.5h3.5V7M2.5 13h11",
  servers: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01",
  tools: "M9.5 6.5l4-4M10.5 2.2a3.4 3.4 0 0 0-4.4 4.4L2.2 10.5a1.9 1.9 0 0 0 2.7 2.7L8.8 9.3a3.4 3.4 0 0 0 4.5-4.3",
  approvals: "M8 1.8l5 2v3.7c0 3.2-2.1 5.6-5 6.7-2.9-1.1-5-3.5-5-6.7V3.8zM5.8 7.8l1.6 1.6 2.9-3.1",
  activity: "M1.5 8h3l2-5 3 10 2-5h3",
  usage: "M2.5 13.5h11M4.5 11.5v-4M8 11.5v-8M11.5 11.5v-6",
  machine: "M2 3h12v8H2zM6 13.5h4M8 11v2.5",
  apps: "M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z",
  agent: "M2.5 3h11v7.5h-6L4 13.5v-3H2.5zM5.5 6.8h.01M8 6.8h.01M10.5 6.8h.01",
  settings: "M2 4.5h6M11 4.5h3M2 11.5h3M8 11.5h6M9.5 3v3M6.5 10v3",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.3 10.3l3.2 3.2",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  check: "M3 8.5l3.2 3.2L13 4.5",
  back: "M9.5 3.5L5 8l4.5 4.5",
  right: "M2 8h12M10 4l4 4-4 4",
  plus: "M8 3v10M3 8h10",
  sun: "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z",
  help: "M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8zM6.2 6.3a1.8 1.8 0 1 1 2.6 1.6c-.5.3-.8.6-.8 1.3M8 11.3h.01",
  out: "M6.5 3H3v10h10V9.5M9 3h4v4M13 3L7.5 8.5",
  reload: "M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3",
  up: "M8 12.5v-9M4 7l4-4 4 4",
  down: "M8 3.5v9M4 9l4 4 4-4",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}

export function Brand() {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M8 .8L15.2 8 8 15.2.800 8z" fill="currentColor" />
      <path d="M8 5.2L10.8 8 8 10.8 5.2 8z" fill="var(--panel)" />
    </svg>
  );
}
