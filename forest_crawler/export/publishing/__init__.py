"""Put rules into running feed readers, through their APIs."""
