import RoboprovCLI

await Roboprov.run()
