import CCommit
import RoboprovCLI

Roboprov.start(commit: String(cString: roboprov_commit()))
