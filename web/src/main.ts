import './app.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { takeTokenFromAddress } from './wire/http';

takeTokenFromAddress();
const target = document.getElementById('app');
if (target) mount(App, { target });
