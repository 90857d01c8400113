/* A program to compile with the best flags: a sieve, sorting, matrices, a hash table; takes about 0.2 s. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252u;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static int primes(int limit) {
    char *crossed = calloc(limit + 1, 1);
    int count = 0;
    for (int i = 2; i <= limit; i++) {
        if (crossed[i]) continue;
        count++;
        for (long j = (long)i * i; j <= limit; j += i) crossed[j] = 1;
    }
    free(crossed);
    return count;
}

static void sort(uint32_t *from, int count) {
    if (count < 16) {
        for (int i = 1; i < count; i++) {
            uint32_t entry = from[i];
            int j = i;
            for (; j > 0 && from[j - 1] > entry; j--) from[j] = from[j - 1];
            from[j] = entry;
        }
        return;
    }
    uint32_t pivot = from[count / 2];
    int low = 0, high = count - 1;
    while (low <= high) {
        while (from[low] < pivot) low++;
        while (from[high] > pivot) high--;
        if (low > high) break;
        uint32_t entry = from[low];
        from[low++] = from[high];
        from[high--] = entry;
    }
    sort(from, high + 1);
    sort(from + low, count - low);
}

enum { ORDER = 160 };
static int64_t a[ORDER][ORDER], b[ORDER][ORDER], c[ORDER][ORDER];

static int64_t trace_of_product(void) {
    for (int i = 0; i < ORDER; i++)
        for (int j = 0; j < ORDER; j++) a[i][j] = next() % 100, b[i][j] = next() % 100, c[i][j] = 0;
    for (int i = 0; i < ORDER; i++)
        for (int j = 0; j < ORDER; j++)
            for (int k = 0; k < ORDER; k++) c[i][j] += a[i][k] * b[k][j];
    int64_t trace = 0;
    for (int i = 0; i < ORDER; i++) trace += c[i][i];
    return trace;
}

static uint64_t hash(const char *text) {
    uint64_t sum = 14695981039346656037u;
    for (; *text; text++) sum = (sum ^ (unsigned char)*text) * 1099511628211u;
    return sum;
}

static int words_in_common(int count) {
    enum { SLOTS = 1 << 16 };
    static char words[SLOTS][12];
    int found = 0;
    for (int i = 0; i < count; i++) {
        char word[12];
        snprintf(word, sizeof word, "w%u", (unsigned)(next() % 40000));
        uint64_t slot = hash(word) % SLOTS;
        while (words[slot][0] && strcmp(words[slot], word)) slot = (slot + 1) % SLOTS;
        if (words[slot][0]) found++;
        else strcpy(words[slot], word);
    }
    return found;
}

int main(void) {
    enum { COUNT = 600000 };
    uint32_t *numbers = malloc(COUNT * sizeof *numbers);
    for (int i = 0; i < COUNT; i++) numbers[i] = (uint32_t)next();
    sort(numbers, COUNT);
    uint64_t sum = numbers[COUNT / 2];
    free(numbers);
    sum = sum * 31 + primes(3000000);
    for (int i = 0; i < 8; i++) sum = sum * 31 + trace_of_product();
    sum = sum * 31 + words_in_common(250000);
    printf("checksum %016llx\n", (unsigned long long)sum);
    return 0;
}
