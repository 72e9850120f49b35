import './app.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { server } from './state/server.svelte';

await server.ready;
const target = document.getElementById('app');
if (target) mount(App, { target });
