#include "terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { deadly_count = sizeof deadly / sizeof *deadly };

static volatile sig_atomic_t caught;

static void note(int number) { caught = number; }

// Waits in short steps, because a signal that another thread receives does not interrupt this one.
static ssize_t read_line(int terminal, char *answer, size_t size) {
  size_t count = 0;
  while (!caught) {
    struct pollfd wanted = {terminal, POLLIN, 0};
    int ready = poll(&wanted, 1, 100);
    if (ready < 0 && errno != EINTR) return -1;
    if (ready <= 0) continue;
    char byte;
    ssize_t got = read(terminal, &byte, 1);
    if (got < 0 && errno != EINTR) return -1;
    if (got < 0) continue;
    if (got == 0 || byte == '\n') return (ssize_t)count;
    if (count == size) {
      errno = EMSGSIZE;
      return -1;
    }
    answer[count++] = byte;
  }
  errno = EINTR;
  return -1;
}

ssize_t clinux_ask_hidden(int terminal, const char *question, char *answer, size_t size) {
  struct termios before;
  if (tcgetattr(terminal, &before) != 0) return -1;

  caught = 0;
  struct sigaction note_it, stay, former[deadly_count], former_stop;
  memset(&note_it, 0, sizeof note_it);
  note_it.sa_handler = note;
  stay = note_it;
  stay.sa_handler = SIG_IGN;
  for (int i = 0; i < deadly_count; i++) {
    sigaction(deadly[i], NULL, &former[i]);
    // A signal that was ignored at the start stays ignored.
    if (former[i].sa_handler != SIG_IGN) sigaction(deadly[i], &note_it, NULL);
  }
  // Ctrl-Z would leave the shell with a terminal without echo.
  sigaction(SIGTSTP, &stay, &former_stop);

  struct termios hidden = before;
  hidden.c_lflag &= ~(tcflag_t)ECHO;
  hidden.c_lflag |= ICANON | ISIG | ECHONL;
  ssize_t count = -1;
  if (tcsetattr(terminal, TCSAFLUSH, &hidden) == 0 && write(terminal, question, strlen(question)) >= 0) {
    count = read_line(terminal, answer, size);
  }
  int reason = errno;
  tcsetattr(terminal, TCSAFLUSH, &before);
  if (caught && write(terminal, "\n", 1) < 0) reason = EINTR;

  sigaction(SIGTSTP, &former_stop, NULL);
  for (int i = 0; i < deadly_count; i++) sigaction(deadly[i], &former[i], NULL);
  if (caught) kill(getpid(), caught);
  errno = reason;
  return count;
}

static struct termios before_keys;
static volatile sig_atomic_t keys_from = -1;

int clinux_begin_keys(int terminal) {
  struct termios keys;
  if (tcgetattr(terminal, &keys) != 0) return -1;
  if (keys_from < 0) before_keys = keys;
  keys = before_keys;
  keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  keys.c_lflag |= ISIG;
  keys.c_cc[VMIN] = 1;
  keys.c_cc[VTIME] = 0;
  if (tcsetattr(terminal, TCSANOW, &keys) != 0) return -1;
  keys_from = terminal;
  return 0;
}

void clinux_end_keys(void) {
  if (keys_from < 0) return;
  int terminal = keys_from;
  keys_from = -1;
  tcsetattr(terminal, TCSANOW, &before_keys);
}

static char last_words[512];
static volatile sig_atomic_t last_words_length;

void clinux_set_last_words(const char *text) {
  size_t length = strlen(text);
  if (length > 500) length = 500;
  last_words_length = 0;
  memcpy(last_words, text, length);
  last_words_length = (sig_atomic_t)length;
}

static void end_now(int number) {
  clinux_end_keys();
  if (last_words_length > 0 && write(STDERR_FILENO, last_words, (size_t)last_words_length) < 0) {
    // A failed write cannot be reported.
  }
  signal(number, SIG_DFL);
  kill(getpid(), number);
}

void clinux_end_on_signal(int number) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = end_now;
  sigaction(number, &action, NULL);
}
