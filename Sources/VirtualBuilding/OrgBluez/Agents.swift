import DBus

/// The agents of the clients (src/agent.c), the default one first.
struct Agents {
  struct Agent {
    let owner: BusName
    let path: ObjectPath
    /// Whether its owner can enter a passkey.
    let hasKeyboard: Bool
    /// The device that it is asked about. It is asked one question at a time.
    fileprivate(set) var question: DeviceID?
  }

  private var agents: [Agent] = []

  /// The agent that is asked about pairing that no client has requested. The first one is the default by itself.
  var standard: Agent? { agents.first }

  /// The agent that is asked about the pairing that a client requests.
  func agent(for client: BusName) -> Agent? { agents.first { $0.owner == client } ?? standard }

  mutating func register(_ path: ObjectPath, _ capability: String, of client: BusName) throws(DBusError) {
    let hasKeyboard =
      switch capability {
      case "", "KeyboardOnly", "KeyboardDisplay": true
      case "DisplayOnly", "DisplayYesNo", "NoInputNoOutput": false
      default: throw BlueZFailure.invalidArguments
      }
    guard index(of: client) == nil else { throw BlueZFailure.alreadyExists }
    agents.append(Agent(owner: client, path: path, hasKeyboard: hasKeyboard))
  }

  mutating func unregister(_ path: ObjectPath, of client: BusName) throws(DBusError) {
    agents.remove(at: try place(of: path, client))
  }

  mutating func makeDefault(_ path: ObjectPath, of client: BusName) throws(DBusError) {
    agents.insert(agents.remove(at: try place(of: path, client)), at: 0)
  }

  /// Removes the agent of a client that has left the bus.
  mutating func forget(_ client: BusName) { agents.removeAll { $0.owner == client } }

  /// Whether a client's agent can be asked about a device now. It counts as asked then, until `close`.
  mutating func open(_ client: BusName, about device: DeviceID) -> Bool {
    guard let index = index(of: client), agents[index].question == nil else { return false }
    agents[index].question = device
    return true
  }

  mutating func close(_ client: BusName) {
    if let index = index(of: client) { agents[index].question = nil }
  }

  private func index(of client: BusName) -> Int? { agents.firstIndex { $0.owner == client } }

  private func place(of path: ObjectPath, _ client: BusName) throws(DBusError) -> Int {
    guard let index = index(of: client), agents[index].path == path else { throw BlueZFailure.doesNotExist }
    return index
  }
}
