import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The page and Portico have one origin, so the session cookie comes back. In production a reverse proxy does the same. */
const proxy = { '/graphql': process.env.PORTICO_URL ?? 'http://127.0.0.1:3000' };

/** In your own project, `portico` is a dependency; here it is the build of the checkout. */
const errors = new URL('../../packages/portico/dist/errors/index.js', import.meta.url).pathname;

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { 'portico/errors': errors } },
  server: { proxy },
  preview: { proxy },
});
