package import Bluetooth

/// Pairing over a link, and the keys that both sides keep.
extension World {
  /// Whether the peripheral of a link can pair at all.
  package func pairs(over link: LinkID) -> Bool { rules(of: link) != nil }

  /// The security of a link; plain if it is down.
  package func security(of link: LinkID) -> LinkSecurity { links[link]?.security ?? .plain }

  /// Begins to pair: each side says what it can do.
  /// - Parameter hasKeyboard: whether the host can enter a passkey.
  /// - Returns: whether it must enter one.
  /// - Throws: `pairingFailed`, `notConnected`, `linkLost`, `cancelled`, `stackStopped`.
  package func beginPairing(over link: LinkID, hasKeyboard: Bool) async throws(LinkError) -> Bool {
    let (rules, state) = (rules(of: link), links[link])
    var isPossible = rules?.isOpen == true && (hasKeyboard || rules?.passkey == nil)
    if let rules, let state, let keys = sensors[state.address]?.bonds, !keys.contains(state.adapter) {
      isPossible = isPossible && keys.count < rules.mostKeys
    }
    try await exchange(over: link, succeeds: isPossible)
    return rules?.passkey != nil
  }

  /// Agrees on a key. The link is encrypted afterwards.
  /// - Parameter passkey: what the host has entered.
  /// - Throws: Same as `beginPairing`.
  package func finishPairing(over link: LinkID, passkey: UInt32?) async throws(LinkError) {
    guard let rules = rules(of: link), let state = links[link] else { throw .notConnected }
    try await exchange(over: link, succeeds: rules.passkey == nil || rules.passkey == passkey)
    let security = rules.passkey == nil ? LinkSecurity.encrypted : .authenticated
    links[link]?.security = security
    guard rules.keepsKey else { return }
    bonds[CacheKey(adapter: state.adapter, address: state.address)] = security
    if !rules.losesKey { sensors[state.address]?.bonds.insert(state.adapter) }
  }

  /// Half of the messages of pairing.
  private func exchange(over link: LinkID, succeeds: Bool) async throws(LinkError) {
    guard let state = links[link] else { throw .notConnected }
    let rules = rules(of: link)
    _ = try await perform(.pair(link)) { id in
      // If the sensor has left the link, the host detects it later.
      guard sensors[state.address]?.link == link else { return }
      guard rules?.isAnswering != false else { return schedule(.unanswered(id), after: radio.pairingTimeout) }
      if rules?.leaves == true {
        sensorLeaves(state)
        return schedule(.linkDown(link, .remote), after: draw(radio.pairing, for: state) / 2)
      }
      schedule(
        .completes(id, succeeds ? .success(.done) : .failure(.pairingFailed)),
        after: draw(radio.pairing, for: state) / 2)
    }
  }

  private func rules(of link: LinkID) -> PairingRules? {
    guard let state = links[link], let sensor = sensors[state.address] else { return nil }
    return sensor.faults(inAttempt: state.attempt).reduce(sensor.firmware.pairing) { rules, fault in
      if case .pairing(let fault) = fault { PairingRules.rules(rules, with: fault) } else { rules }
    }
  }

  // MARK: Keys

  /// Encrypts a new link between two sides that have a key. If only the host has it, the stack ends the link.
  func encryptByBond(_ link: LinkID, within exchange: Duration) {
    guard let state = links[link],
      let security = bonds[CacheKey(adapter: state.adapter, address: state.address)]
    else { return }
    if sensors[state.address]?.bonds.contains(state.adapter) == true {
      links[link]?.security = security
    } else {
      sensorLeaves(state)
      schedule(.linkDown(link, .remote), after: exchange / 2)
    }
  }

  /// Whether the stack has a key for a peripheral of an adapter.
  package func hasBond(with address: BluetoothAddress, on adapter: BluetoothAddress) -> Bool {
    bonds[CacheKey(adapter: adapter, address: address)] != nil
  }

  /// Deletes the stack's key for a peripheral.
  package func removeBond(with address: BluetoothAddress, on adapter: BluetoothAddress) {
    bonds[CacheKey(adapter: adapter, address: address)] = nil
  }

  /// Deletes the keys of a device, as a reset does.
  package func deleteKeys(of address: BluetoothAddress) { sensors[address]?.bonds = [] }
}
