"""What a process remembers of its calls: their keys, results, and parked requests."""
