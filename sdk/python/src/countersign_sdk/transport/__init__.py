"""How the steps of a call reach the service, in threads and in `asyncio`."""
