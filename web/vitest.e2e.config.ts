import { defineConfig } from 'vitest/config';

// Real Chromium against the real server: one file at a time, for the machine may be small.
export default defineConfig({
  test: {
    include: ['e2e/**/*.e2e.ts'],
    environment: 'node',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    // A busy machine may drop the frame that a test waited for: once more, and vitest says so.
    retry: 1,
  },
});
