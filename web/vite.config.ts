import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// `npm run dev` talks to a server that runs beside it.
const server = process.env.WINDLASS_URL ?? 'http://127.0.0.1:4117';

export default defineConfig({
  plugins: [svelte()],
  build: {
    target: 'es2022',
    outDir: process.env.WINDLASS_DIST ?? 'dist',
    emptyOutDir: true,
    // The page may not run or show anything inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': { target: server, changeOrigin: true, headers: { origin: server } } } },
});
